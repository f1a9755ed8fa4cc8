import { createBuildAnswers } from './build-answers.ts'
import type { BuildPart, FromWorker, ToWorker } from './build-event-messages.ts'
import { type BuildPartReader, createBuildPartReader } from './build-part-reader.ts'

/**
 * What runs in the worker: reads the bytes that the page hands over, keeps what came of them, and
 * answers questions about it. `post` sends to the page. Returns what takes the page's messages.
 */
export function createBuildEngine(
  post: (message: FromWorker) => void,
): (message: ToWorker) => void {
  const readers = new Map<string, BuildPartReader>()
  const answer = createBuildAnswers((buildId, part) => readers.get(keyOf(buildId, part))?.collector)

  function readerOf(buildId: string, part: BuildPart): BuildPartReader {
    const key = keyOf(buildId, part)
    const reader = readers.get(key) ?? createBuildPartReader(part)
    readers.set(key, reader)
    return reader
  }

  function tellProgress(buildId: string, part: BuildPart, taken: number, trouble?: string): void {
    const progress = readerOf(buildId, part).progress()
    post({ kind: 'progress', buildId, part, taken, progress, trouble })
  }

  return (message) => {
    switch (message.kind) {
      case 'open':
        readerOf(message.buildId, message.part).open(message.anew)
        tellProgress(message.buildId, message.part, 0)
        break
      case 'bytes': {
        const { buildId, part, bytes } = message
        try {
          readerOf(buildId, part).take(bytes)
          tellProgress(buildId, part, bytes.length)
        } catch (error) {
          tellProgress(buildId, part, bytes.length, messageOf(error))
        }
        break
      }
      case 'forget':
        for (const key of readers.keys()) {
          if (key.startsWith(`${message.buildId} `)) readers.delete(key)
        }
        break
      case 'ask':
        try {
          post({
            kind: 'answer',
            ask: message.ask,
            answer: answer(message.buildId, message.question),
          })
        } catch (error) {
          post({ kind: 'no-answer', ask: message.ask, reason: messageOf(error) })
        }
    }
  }
}

function keyOf(buildId: string, part: BuildPart): string {
  return `${buildId} ${part}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
