import type { Answer } from '../../../../e2e/hostile-stream-server.ts'
import { encodeSse } from '../../../protocol/sse.ts'
import { createBuildEngine } from './build-event-engine.ts'
import type { FromWorker } from './build-event-messages.ts'
import type { BuildWorker } from './build-worker-line.ts'

/** The build that is read. */
export const buildId = 'aaaaaaaaaaaaa'
const announcement = encodeSse({
  id: buildId,
  event: 'Build',
  data: JSON.stringify({
    buildId,
    timestamp: 5,
    toolType: 'gradle',
    toolVersion: '9',
    agentVersion: '4',
  }),
})
/** How many tasks it has. */
export const tasks = 20

/** A build of some tasks, as the messages of its stream; the last event is its end. */
export const messages = [
  announcement,
  ...[
    ['BuildStarted', {}],
    ...Array.from({ length: tasks }, (_, task) => [
      ['TaskStarted', { id: task, path: `:é${task}` }],
      ['TaskFinished', { id: task, path: `:é${task}`, outcome: 'success' }],
    ]).flat(),
    ['BuildFinished', { failureId: null }],
  ].map(([eventType, data], index) =>
    encodeSse({
      id: String(index + 1),
      event: 'BuildEvent',
      data: JSON.stringify({
        timestamp: index,
        type: { majorVersion: 1, minorVersion: 0, eventType },
        data,
      }),
    }),
  ),
]
/** The real engine, its messages cloned and delivered later as between threads. */
export function startWorker(): BuildWorker {
  let onMessage: (message: FromWorker) => void = () => undefined
  const take = createBuildEngine((message) => {
    const cloned = structuredClone(message)
    setImmediate(() => {
      onMessage(cloned)
    })
  })
  return {
    post: (message, transfer) => {
      const cloned = structuredClone(message, { transfer: [...transfer] })
      setImmediate(() => {
        take(cloned)
      })
    },
    listen: (listener) => {
      onMessage = listener
    },
    end: () => {
      onMessage = () => undefined
    },
  }
}

/** How many messages a request has had before. */
export function resumedAfter(request: Parameters<Answer>[1]): number {
  const id = request.headers['last-event-id']
  return id === undefined ? 0 : id === buildId ? 1 : 1 + Number(id)
}

/** Sends what a request has not had yet, as a server does that can resume. */
export const stream: Answer = (response, request) => {
  const after = resumedAfter(request)
  if (after >= messages.length) response.writeHead(204).end()
  else
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(messages.slice(after).join(''))
}
