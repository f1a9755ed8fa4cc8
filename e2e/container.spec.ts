import { execFileSync } from 'node:child_process'
import { expect, test } from './sightline.ts'

test('the container image runs read-only, as its own user and as any of group 0', () => {
  const printed = execFileSync(process.execPath, ['scripts/container-layout.mjs', '--built'], {
    encoding: 'utf8',
  })
  test.skip(printed.includes('NOT tried'), printed)
  expect(printed).toContain('as 10001:0, read-only: healthy, serves the feed, ends with 0')
  expect(printed).toContain('as 1000770000:0, read-only: healthy, serves the feed, ends with 0')
})
