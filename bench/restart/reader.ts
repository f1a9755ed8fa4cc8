import { type ClientRequest, get, type IncomingMessage } from 'node:http'

/** A reader of an event stream as browsers have it: it comes back with the id of what it got last. */
export interface Reader {
  /** The ids of all builds, in the order in which they came. */
  readonly ids: () => readonly string[]
  /** The longest time without a build, since the last `resetWait`. */
  readonly longestWaitMs: () => number
  readonly resetWait: () => void
  readonly connections: () => number
  /** Answers that were no stream, and connections that broke before one. */
  readonly refusals: () => readonly string[]
  readonly close: () => void
}

/** Opens one; it waits as long as the stream asks before it comes back, a second where it doesn't. */
export function openReader({
  url,
  token,
}: {
  readonly url: string
  readonly token: string
}): Reader {
  const ids: string[] = []
  let request: ClientRequest | undefined
  let lastId: string | undefined
  let isClosed = false
  let retryMs = 1000
  let connections = 0
  const refusals: string[] = []
  let lastAt = Date.now()
  let longestMs = 0

  /** Whole messages, each after an empty line: only their first lines are looked at. */
  const take = (messages: string): void => {
    for (let at = messages.indexOf('\nid: '); at !== -1; at = messages.indexOf('\nid: ', at + 1)) {
      const end = messages.indexOf('\n', at + 1)
      lastId = owned(messages.slice(at + 5, end))
      if (!messages.startsWith('event: Build\n', end + 1)) continue
      ids.push(lastId)
      const now = Date.now()
      longestMs = Math.max(longestMs, now - lastAt)
      lastAt = now
    }
    const retry = /\nretry: (\d+)\n/.exec(messages)
    if (retry !== null) retryMs = Number(retry[1])
  }

  const open = (): void => {
    if (isClosed) return
    connections += 1
    let isOver = false
    const comeBack = (): void => {
      if (isOver) return
      isOver = true
      setTimeout(open, retryMs)
    }
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    }
    request = get(url, { headers, agent: false }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) {
        refusals.push(String(response.statusCode))
        response.resume()
        comeBack()
        return
      }
      let rest = '\n'
      response.setEncoding('latin1')
      response.on('data', (text: string) => {
        const all = rest + text
        const end = all.lastIndexOf('\n\n')
        if (end !== -1) take(all.slice(0, end + 1))
        rest = end === -1 ? all : all.slice(end + 1)
      })
      response.once('close', comeBack)
      response.once('error', comeBack)
    })
    request.once('error', ({ message }) => {
      refusals.push(message)
      comeBack()
    })
  }
  open()

  return {
    ids: () => ids,
    longestWaitMs: () => longestMs,
    resetWait: () => {
      longestMs = 0
      lastAt = Date.now()
    },
    connections: () => connections,
    refusals: () => refusals,
    close: () => {
      isClosed = true
      request?.destroy()
    },
  }
}

const known = new Map<string, string>()

/** One copy of an id for all readers: a piece of a text would keep the whole text in memory. */
function owned(id: string): string {
  const one = known.get(id)
  if (one !== undefined) return one
  const copy = Buffer.from(id, 'latin1').toString('latin1')
  known.set(copy, copy)
  return copy
}
