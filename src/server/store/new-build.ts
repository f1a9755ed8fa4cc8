import type { Attributes } from '../../protocol/attributes.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'

/**
 * A whole build as it is given to the store. `events` are oldest first, each as its JSON text on
 * one line, so that 64-bit ids stay exact. `attributes` is null where only events are known;
 * `facts` fill the columns by which builds are searched, absent ones stay empty.
 */
export interface NewBuild {
  readonly message: BuildMessage
  readonly attributes: Attributes | null
  readonly events: readonly string[]
  readonly facts?: Facts
}
