/**
 * A policy scan of 50,000 results in one NDJSON stream into the open page of the built product, in
 * Chromium, beside a bare JSON.parse of the same lines in the same browser: read from the same socket,
 * and already in memory. Then answers of other shapes, to see that the page stays usable. Service,
 * proxy and browser are processes of this machine.
 */
import { chromium } from '@playwright/test'
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { start } from '../feed/product.ts'
import { type Bare, type Felt, feelScan, readBare } from './in-browser.ts'
import { answerSizes, serveResults } from './result-server.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

if (process.argv[2] === 'serve') await serveResults()
else await measure()

async function measure(): Promise<void> {
  const executablePath = [process.env.CHROMIUM_PATH, ...places, chromium.executablePath()].find(
    (path) => path !== undefined && existsSync(path),
  )
  if (executablePath === undefined || !existsSync('dist/server/main.js')) {
    console.log('Left out: it needs a Chromium (CHROMIUM_PATH) and the built product.')
    return
  }
  const { server, origin } = await startService()
  const product = await start([], {
    SIGHTLINE_PORT: '0',
    SIGHTLINE_GOVERNOR_URL: origin,
    SIGHTLINE_GOVERNOR_BEARER: 'bench',
    SIGHTLINE_EMBEDDED_BUILDS: '50',
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const url = product.url.replace(/\/$/, '')
  try {
    for (const [scan, { results, policies, remediation }] of Object.entries(answerSizes)) {
      const path = `/packages/oci/app/1.0.0/policy-scans/${scan}`
      const bare: Bare[] = []
      const felt: Felt[] = []
      for (let round = 0; round < rounds; round++) {
        const context = await browser.newContext()
        const page = await context.newPage()
        await page.goto(`${url}/decode`)
        bare.push(await readBare(page, `/upstream/governor${path}`))
        await page.close()
        // Of another artifact than the bare one: what is recorded of that would be shown at once.
        const sha256 = String(round).padStart(64, '0')
        const search = `?sha256=${sha256}&repository=registry.example.com/shop`
        felt.push(await feelScan(await context.newPage(), `${url}${path}${search}`))
        await context.close()
      }
      const more = remediation === 0 ? '' : `, a remediation of ${remediation / 1e6} MB`
      say('answer', `${results} results of ${policies} policies${more}`)
      tell(bare, felt, scan === 'release')
    }
  } finally {
    await browser.close()
    await product.stop()
    server.kill()
  }
}

function tell(bare: readonly Bare[], felt: readonly Felt[], isGoal: boolean): void {
  const of = <T>(all: readonly T[], read: (one: T) => number): string =>
    `${median(all.map(read)).toFixed(0)} ms (${all.map((one) => read(one).toFixed(0)).join(' ')})`
  const parse = median(bare.map((one) => one.parse))
  const socket = median(bare.map((one) => one.socket))
  const verdict = median(felt.map((one) => one.verdict))
  const firstRow = median(felt.map((one) => one.firstRow))
  const longestTask = median(felt.map((one) => one.longestTask))
  const lateFrames = median(felt.map((one) => one.lateFrames))
  const bytes = ((bare[0]?.bytes ?? 0) / 1e6).toFixed(1)
  say('  JSON.parse, from memory', `${of(bare, (one) => one.parse)}   ${bytes} MB`)
  say(
    '  JSON.parse, from socket',
    of(bare, (one) => one.socket),
  )
  say('  first row', `${of(felt, (one) => one.firstRow)} after its bytes   goal: 50 ms`)
  say(
    '  last bytes read',
    of(felt, (one) => one.lastBytes),
  )
  say(
    '  verdict on screen',
    of(felt, (one) => one.verdict),
  )
  say(
    '  nothing moves any more',
    of(felt, (one) => one.drawn),
  )
  say(
    '  share of bare',
    `${(verdict / socket).toFixed(1)} times from socket, ${(verdict / parse).toFixed(1)} times from memory   goal: 3`,
  )
  say('  longest task', `${of(felt, (one) => one.longestTask)}   told from 50 ms on   goal: none`)
  say('  frames over 50 ms', felt.map((one) => `${one.lateFrames} of ${one.frames}`).join(', '))
  const isGood = firstRow <= 50 && longestTask <= 50 && lateFrames === 0 && verdict <= 3 * socket
  if (isGoal && !isGood) process.exitCode = 1
}

async function startService() {
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const origin = await new Promise<string>((resolve) => {
    server.once('message', (message) => {
      resolve(z.string().parse(message))
    })
  })
  return { server, origin }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(28)}${text}`)
}
