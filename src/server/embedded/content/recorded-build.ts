import type { Attributes } from '../../../protocol/attributes.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'

/**
 * A whole build as the embedded services store it: what the export stream announces, what the build
 * data API says of it, and its events, oldest first, each as its JSON text so that 64-bit ids stay
 * exact. `attributes` is null where only events are known, as with an imported recording.
 */
export interface RecordedBuild {
  readonly message: BuildMessage
  readonly attributes: Attributes | null
  readonly events: readonly string[]
}
