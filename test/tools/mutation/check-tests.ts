/** What the check finds on pages, as one file. Its list and its pages of shops need more than a frame. */
import '../../check/card.test.ts';
import '../../check/clear-text.test.ts';
import '../../check/findings.test.ts';
import '../../check/locks.test.ts';
import '../../check/patch.test.ts';
import '../../check/presses.test.ts';
import '../../check/safety.test.ts';
import '../../check/ways-out.test.ts';
