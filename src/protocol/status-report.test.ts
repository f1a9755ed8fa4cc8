import { expect, test } from 'vitest'
import { type Health, statusHeadline, StatusReport } from './status-report.ts'

const part = (health: Health, message = `It is ${health}.`) => ({
  health,
  message,
  notes: ['Note.'],
})
const server = (health: Health) => ({
  ...part(health),
  ...{ kind: 'server', address: 'https://a.example', lastResponseAt: null, latency: null },
  ...{ credential: null, permissions: [], clockSkewMs: null },
})

interface Given {
  readonly build?: Health
  readonly policy?: Health
  readonly alerts?: Health
  readonly warnings?: string[]
}

function headline({ build = 'ok', policy = 'ok', alerts, warnings = [] }: Given) {
  const report = StatusReport.parse({
    at: 0,
    product: { version: '1', startedAt: 0, warnings },
    buildServer: {
      ...server(build),
      ...{ release: null, exportVersion: { setting: 'auto', spoken: null } },
      ...{ newestBuildAt: null, deliveryMs: null },
    },
    policyService: server(policy),
    alerts:
      alerts === undefined
        ? null
        : { ...part(alerts), waiting: null, failed: null, sent: null, last: null },
    ...{ database: null, liveLog: null, people: null, deprecated: [] },
    losses: { count: 0, last: [] },
  })
  return statusHeadline(report)
}

test.each<[Given, Health, string]>([
  [{}, 'ok', 'Everything is working.'],
  [{ policy: 'unknown' }, 'unknown', 'Checking the policy service…'],
  [{ build: 'failed' }, 'failed', 'It is failed.'],
  [{ build: 'failed', alerts: 'failed' }, 'failed', 'Not working: build server and alerts.'],
  [{ policy: 'warning' }, 'warning', 'It is warning.'],
  [{ warnings: ['Odd.'] }, 'warning', 'Odd.'],
  [
    { policy: 'warning', alerts: 'warning' },
    'warning',
    'Working, with 2 warnings: policy service and alerts.',
  ],
  [
    { policy: 'warning', warnings: ['Odd.', 'Odder.'] },
    'warning',
    'Working, with 3 warnings: policy service and configuration.',
  ],
  // What does not work comes before what is odd or not known yet.
  [{ build: 'failed', policy: 'unknown', warnings: ['Odd.'] }, 'failed', 'It is failed.'],
])('%j is %s: “%s”', (given, health, message) => {
  expect(headline(given)).toMatchObject({ health, message })
})

test('the notes are of what does not work or is odd, the worst first', () => {
  expect(headline({ policy: 'failed', build: 'warning' }).notes).toEqual([
    'It is failed.',
    'Note.',
    'It is warning.',
    'Note.',
  ])
})
