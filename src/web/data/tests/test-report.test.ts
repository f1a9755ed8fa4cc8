import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { refusalKind } from '../core/problem-words.ts'
import { createTestReports } from './test-report.ts'

/** The state of a report whose builds could not be listed. */
async function failedWith(status: number | undefined) {
  const progress = {
    ...{ read: 0, of: 0, kept: 0, withoutTests: 0, unmatched: 0, partial: 0, unreadable: 0 },
    ...{ more: false, searched: true },
  }
  const line = { kind: 'failed', progress, problem: 'The build server refused.', status }
  const reports = createTestReports({
    send: () =>
      Promise.resolve(
        new Response(`${JSON.stringify(line)}\n`, {
          headers: { 'content-type': 'application/x-ndjson' },
        }),
      ),
    clock: createManualClock(0),
    random: () => 0,
  })
  const report = reports.open({ query: '', builds: 100, search: '', offset: 0 })
  await new Promise<void>((resolve) => {
    report.subscribe(() => {
      if (report.getSnapshot().state.is === 'failed') resolve()
    })
  })
  const { state } = report.getSnapshot()
  return state.is === 'failed' ? state.problem : undefined
}

test.each([
  [401, 'credential'],
  [403, 'forbidden'],
  [404, 'failed'],
  [undefined, 'failed'],
] as const)('a list of builds that is refused with %s is of the kind %s', async (status, kind) => {
  const fault = await failedWith(status)
  expect(fault?.message).toBe('The build server refused.')
  expect(fault && refusalKind(fault)).toBe(kind)
})
