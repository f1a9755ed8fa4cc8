import { isBuildId } from '../../../protocol/build-id.ts'
import { type BuildMessage, decodeBuildMessage } from '../../../protocol/build-message.ts'
import { createSseReader, type SseReader } from '../../../protocol/sse-reader.ts'
import { createMessageGuard } from './message-guard.ts'

/** What a reader of builds tells, in stream order. */
export interface BuildReaderHandlers {
  readonly onBuild: (build: BuildMessage) => void
  /** A message that is no build; `id` is where to resume after it, if it said so. */
  readonly onMalformed: (reason: string, id: string | undefined) => void
  /** The reconnection time that the other side asks for, in ms. */
  readonly onRetry?: (ms: number) => void
}

/** Reads one stream of builds; make a new one per connection. */
export interface BuildReader {
  /** Takes the next bytes, cut anywhere. Never throws: what cannot be read is told and skipped. */
  readonly feed: (bytes: Uint8Array) => void
}

/**
 * Reads `Build` messages of either version (docs/services.md#export-build-message). Everything is
 * decoded, so that nothing of an upstream's bytes goes further. Messages of other names are left
 * out, as future versions may have some.
 */
export function createBuildReader(handlers: BuildReaderHandlers): BuildReader {
  const guard = createMessageGuard(maxMessageBytes)
  const makeReader = (): SseReader =>
    createSseReader(
      {
        onMessage: ({ id, event, data }) => {
          if (event !== undefined && event !== 'Build') return
          const build = decode(data)
          if (typeof build === 'string') {
            handlers.onMalformed(build, id !== undefined && isBuildId(id) ? id : undefined)
          } else {
            handlers.onBuild(build)
          }
        },
        onRetry: (ms) => handlers.onRetry?.(ms),
      },
      maxMessageBytes,
    )
  let reader = makeReader()
  return {
    feed: (bytes) => {
      for (const part of guard.pass(bytes)) {
        if (part.kind === 'bytes') {
          reader.feed(part.bytes)
        } else {
          reader = makeReader()
          handlers.onMalformed('a message is longer than 1 MB', undefined)
        }
      }
    },
  }
}

const maxMessageBytes = 1024 * 1024

/** A build, or why there is none; the reason holds nothing of the message itself. */
function decode(data: string): BuildMessage | string {
  try {
    return decodeBuildMessage(JSON.parse(data))
  } catch (error) {
    return error instanceof SyntaxError ? 'not JSON' : 'not a build message'
  }
}
