/** What the check finds on pages, as one file. Its list and its pages of shops need more than a frame. */
// First what takes least time: a run ends at the first failure.
import '../../test/check/call-site.test.ts';
import '../../test/check/typed-card.test.ts';
import '../../test/check/findings.test.ts';
import '../../test/check/locks.test.ts';
import '../../test/check/names.test.ts';
import '../../test/check/patch.test.ts';
import '../../test/check/ways-out.test.ts';
import '../../test/check/clear-text.test.ts';
import '../../test/check/recorders.test.ts';
import '../../test/check/safety.test.ts';
import '../../test/check/presses.test.ts';
