import type { Page } from '@playwright/test'

/** What a person would feel of a page while an answer comes in; all times in ms. */
export interface Felt {
  /** From the first bytes of the answer to the first policy on the screen. */
  readonly firstRow: number
  /** From the second bytes to the end of the answer, to its verdict, and to all that is drawn. */
  readonly lastBytes: number
  readonly verdict: number
  readonly drawn: number
  readonly longestTask: number
  readonly frames: number
  readonly lateFrames: number
}

/** Opens a scan that was never evaluated, evaluates it, and watches it to its verdict, and a second longer. */
export async function feelScan(page: Page, address: string): Promise<Felt> {
  await page.addInitScript(watch)
  await page.goto(address)
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click()
  await page.waitForFunction(() => window.benchScan() !== undefined, undefined, {
    timeout: 120_000,
    polling: 250,
  })
  const felt = await page.evaluate(() => window.benchScan())
  if (felt === undefined) throw new Error('the page had its verdict and lost it')
  return felt
}

/** A bare JSON.parse of the same lines in the same browser; times in ms. */
export interface Bare {
  /** Of lines that are in memory. */
  readonly parse: number
  /** Read from the socket, split and parsed, from the second bytes on. */
  readonly socket: number
  readonly bytes: number
}

/** Reads the answer of a scan through the proxy with as little as can be. */
export function readBare(page: Page, path: string): Promise<Bare> {
  return page.evaluate(async (target) => {
    const session: unknown = await (await fetch('/session', { method: 'POST' })).json()
    const token =
      typeof session === 'object' && session !== null && 'token' in session
        ? String(session.token)
        : ''
    const response = await fetch(target, {
      method: 'POST',
      headers: {
        accept: 'application/x-ndjson',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ sha256: 'ab'.repeat(32), repositoryUrl: 'registry.example.com/shop' }),
    })
    const reader = response.body?.getReader()
    if (!response.ok || reader === undefined) throw new Error(`answered ${response.status}`)
    const decoder = new TextDecoder()
    const lines: string[] = []
    let held = ''
    let begin = 0
    let bytes = 0
    let sum = 0
    for (let reads = 1; ; reads++) {
      const { done, value } = await reader.read()
      if (done) break
      if (reads === 2) begin = performance.now()
      bytes += value.length
      const [begun = '', ...parts] = decoder.decode(value, { stream: true }).split('\n')
      held += begun
      if (parts.length === 0) continue
      parts.unshift(held)
      held = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        if (JSON.parse(line) !== null) sum += 1
      }
    }
    // The whole of an answer in another shape.
    if (held !== '') {
      lines.push(held)
      if (JSON.parse(held) !== null) sum += 1
    }
    const socket = performance.now() - begin
    const before = performance.now()
    for (const line of lines) if (JSON.parse(line) !== null) sum += 1
    if (sum !== 2 * lines.length) throw new Error('a line is no result')
    return { parse: performance.now() - before, socket, bytes }
  }, path)
}

declare global {
  interface Window {
    /** Undefined until all is drawn. */
    benchScan: () => Felt | undefined
  }
}

/** Runs in the page before anything else does. */
function watch(): void {
  const tasks: { readonly startTime: number; readonly duration: number }[] = []
  const frames: number[] = []
  let reads = 0
  let firstBytes = 0
  let secondBytes = 0
  let lastBytes = 0
  let firstRow = 0
  let verdict = 0
  let drawn = 0
  let rows = 0

  const ask = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    const response = await ask(input, init)
    if (typeof input !== 'string' || !input.includes('/policy-scans/')) return response
    const { body } = response
    if (body === null) return response
    const getReader = body.getReader.bind(body)
    // The page reads as it would: what is watched is only when its reads are answered.
    Object.defineProperty(body, 'getReader', {
      value: () => {
        const reader = getReader()
        const read = reader.read.bind(reader)
        reader.read = async () => {
          const part = await read()
          reads += 1
          const now = performance.now()
          if (reads === 1) firstBytes = now
          if (reads === 2) secondBytes = now
          lastBytes = now
          return part
        }
        return reader
      },
    })
    return response
  }
  new PerformanceObserver((list) => {
    tasks.push(...list.getEntries())
  }).observe({ type: 'longtask' })
  const frame = (): void => {
    const now = performance.now()
    frames.push(now)
    const shown = document.querySelectorAll('[data-policy-uri]').length
    if (firstRow === 0 && shown > 0) firstRow = now
    const headline = document.querySelector('h1')?.textContent ?? ''
    if (verdict === 0 && headline.startsWith('Not releasable:')) verdict = now
    const all = document.querySelectorAll('#main *').length
    if (all !== rows && verdict !== 0) drawn = now
    rows = all
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  window.benchScan = () => {
    if (verdict === 0 || performance.now() < Math.max(drawn, verdict) + 1000) return undefined
    const gaps = frames.slice(1).flatMap((time, index) => {
      const before = frames[index] ?? time
      return before < firstBytes ? [] : [time - before]
    })
    return {
      firstRow: firstRow - firstBytes,
      lastBytes: lastBytes - secondBytes,
      verdict: verdict - secondBytes,
      drawn: Math.max(drawn, verdict) - secondBytes,
      longestTask: Math.max(
        0,
        ...tasks.map(({ startTime, duration }) => (startTime < firstBytes ? 0 : duration)),
      ),
      frames: gaps.length,
      lateFrames: gaps.filter((gap) => gap > 50).length,
    }
  }
}
