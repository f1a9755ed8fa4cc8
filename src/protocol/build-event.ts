import { z } from 'zod'
import { EpochMs } from './build-message.ts'
import { parseExactJson } from './exact-json.ts'

/**
 * One thing that happened in a build (docs/services.md#export-event-message). What `data` holds
 * depends on the event type and its version; unknown types and versions are kept as they are.
 */
export const BuildEvent = z.looseObject({
  timestamp: EpochMs,
  type: z.looseObject({
    majorVersion: z.number().int(),
    minorVersion: z.number().int(),
    eventType: z.string().min(1),
  }),
  data: z.record(z.string(), z.unknown()),
})
export type BuildEvent = z.infer<typeof BuildEvent>

/**
 * Decodes one event from its JSON text, with 64-bit ids kept as text. Throws a SyntaxError, or a
 * ZodError that names the wrong keys.
 */
export function decodeBuildEvent(text: string): BuildEvent {
  return BuildEvent.parse(parseExactJson(text))
}
