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

  const take = (line: string): void => {
    if (line.startsWith('id: ')) lastId = line.slice(4)
    else if (line === 'event: Build') {
      ids.push(lastId ?? '')
      const now = Date.now()
      longestMs = Math.max(longestMs, now - lastAt)
      lastAt = now
    } else if (line.startsWith('retry: ')) retryMs = Number(line.slice(7))
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
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) take(line)
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
