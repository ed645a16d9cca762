/** What the check finds on pages, as one file. Its list and its pages of shops need more than a frame. */
// First what takes least time: a run ends at the first failure.
import '../../check/call-site.test.ts';
import '../../check/card.test.ts';
import '../../check/findings.test.ts';
import '../../check/locks.test.ts';
import '../../check/patch.test.ts';
import '../../check/ways-out.test.ts';
import '../../check/clear-text.test.ts';
import '../../check/safety.test.ts';
import '../../check/presses.test.ts';
