import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import type { BuildAddress } from './build-address.ts'
import type { ChangeAddress } from './use-build-address.ts'
import type { Knowledge } from './use-knowledge.ts'

/** What a part of the page is made from. */
export interface TabProps {
  readonly events: BuildEvents
  readonly view: BuildEventsView
  readonly knowledge: Knowledge
  readonly address: BuildAddress
  readonly change: ChangeAddress
}
