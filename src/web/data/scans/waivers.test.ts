import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { allVersionsPath, waiverRefusal } from './waivers.ts'

test('all versions of a package are meant, whatever its version holds', () => {
  expect(allVersionsPath('/packages/oci/acme/app/1.0%2B2')).toBe('/packages/oci/acme/app/*')
})

function refused(status: number, detail: string): string {
  return waiverRefusal(new ProblemError(problem(status, 'x', 'Title', detail)))
}

test.each([
  [403, 'That takes the role releaser or admin.', /^That takes the role releaser or admin\.$/],
  [400, 'reason is missing.', /^reason is missing\.$/],
  [409, 'bob has already ended it.', /^bob has already ended it\. The list was reloaded\.$/],
  [404, 'No waiver has this id.', /^This waiver no longer exists/],
  [401, 'You were signed out. Try again.', /^You were signed out\. Try again\.$/],
  [
    503,
    "The Sightline server isn't ready.",
    /^The Sightline server isn't ready\. The change may not have been saved/,
  ],
])('%i "%s" becomes a plain sentence', (status, detail, words) => {
  expect(refused(status, detail)).toMatch(words)
})

test('so does a fault that is no response', () => {
  expect(waiverRefusal(new Error('boom'))).toBe('Request failed: boom')
})
