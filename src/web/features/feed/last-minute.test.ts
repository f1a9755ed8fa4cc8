import { expect, test } from 'vitest'
import { exampleView } from './example-view.ts'
import { lastMinute } from './last-minute.ts'

const now = 100_000

test('builds of the last minute are counted, older ones are not', () => {
  const view = exampleView([
    { timestamp: now - 60_000, facts: { outcome: 'failed' } },
    { timestamp: now - 59_999, facts: { outcome: 'failed' } },
    { timestamp: now - 10_000, facts: { outcome: 'succeeded' } },
    { timestamp: now },
  ])
  expect(lastMinute(view, now)).toMatchObject({ builds: 3, failed: 1, unknown: 1 })
})

test('the busiest project has the most builds; equals go by name', () => {
  const projects = ['web', 'core', 'web', 'core', 'docs']
  const view = exampleView(projects.map((project) => ({ timestamp: now, facts: { project } })))
  expect(lastMinute(view, now).busiest).toBe('core')
})

test('a project with a single build is not called busy', () => {
  const view = exampleView([{ timestamp: now, facts: { project: 'web' } }])
  expect(lastMinute(view, now).busiest).toBeUndefined()
})
