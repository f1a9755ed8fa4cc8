import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** What the verdict of a whole scan means to its reader. */
export const verdictTones: Readonly<Record<WaivedVerdict['verdict'], StatusTone>> = {
  releasable: 'good',
  // Never green: the service says that something fails.
  'releasable-with-waivers': 'waiting',
  'not-releasable': 'bad',
  undecided: 'waiting',
  'nothing-applied': 'none',
}
