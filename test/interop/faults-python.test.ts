import { testPortWithFaults } from './faulty-ports.ts';
import { PORTS } from './ports.ts';

testPortWithFaults(PORTS[1]!);
