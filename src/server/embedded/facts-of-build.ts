import { attributesKey, type Attributes, toolsWithAttributes } from '../../protocol/attributes.ts'
import { decodeBuildEvent } from '../../protocol/build-event.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import { factsFromAttributes } from '../../facts/facts-from-attributes.ts'
import { factEventTypes, factsFromEvents } from '../../facts/facts-from-events.ts'

const factTypes = new Set(factEventTypes)

/** Whether events of this type tell anything that builds are searched by. */
export function tellsFacts(eventType: string): boolean {
  return factTypes.has(eventType)
}

/**
 * What builds are searched by: from the attributes where there are any, else from the texts of the
 * events that tell facts.
 */
export function factsOfBuild(
  message: BuildMessage,
  attributes: Attributes | null,
  factEvents: readonly string[],
): Facts {
  const tool = toolsWithAttributes.find((one) => one === message.toolType)
  return attributes !== null && tool !== undefined
    ? factsFromAttributes(message, { [attributesKey(tool)]: { model: attributes } })
    : factsFromEvents(message, factEvents.map(decodeBuildEvent))
}
