/**
 * The tests of the workers, and all that they start, leave the processor to the browsers' tests,
 * which take the longest: those run one after the other.
 */
import { setPriority } from 'node:os';

setPriority(10);
