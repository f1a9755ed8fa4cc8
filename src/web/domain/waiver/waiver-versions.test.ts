import { expect, test } from 'vitest'
import { coverage, readVersions } from './waiver-versions.tsx'

test.each([
  ['', '', /Enter the first version/],
  ['2.10', '2.9', /Matches nothing: 2.10 comes after 2.9/],
  ['latest', '2.9', /can't be compared/],
])('from "%s" to "%s" is refused', (from, until, words) => {
  expect(readVersions({ is: 'versions', from, until })).toEqual({
    ok: false,
    mistake: expect.stringMatching(words) as unknown,
  })
})

test('without a last version all later ones are meant', () => {
  expect(readVersions({ is: 'versions', from: ' 2.4 ', until: ' ' })).toEqual({
    ok: true,
    versions: { from: '2.4', until: null },
  })
})

const uri = '/policies/Sbom/sbom-present'
const run = (version: string, isFailing: boolean) => ({
  packagePath: `/packages/oci/checkout/${version}`,
  failing: isFailing ? [`https://governor.example${uri}`] : [],
  sha256: 'ab',
  repositoryUrl: 'registry.example/checkout',
  ended: 'complete' as const,
})
// The newest first.
const runs = [run('2.5.0', true), run('2.4.0', false), run('2.4.0', true), run('2.3.0', true)]

test.each([
  ['2.4', null, true, "Covers 2.5.0 (fails), 2.4.0 (doesn't fail), and versions to come."],
  [
    '2.3',
    '2.4',
    true,
    "Covers 2.4.0 (doesn't fail), 2.3.0 (fails), and versions to come up to 2.4.",
  ],
  ['2.4', '2.4', false, /^Matches nothing yet: none of the recorded versions in it fails: 2.4.0/],
  [
    '3',
    null,
    false,
    /^Matches nothing yet: it doesn't cover any of the 3 recorded versions \(2.5.0/,
  ],
])('from %s to %s is checked against what is recorded', (from, until, matches, words) => {
  expect(coverage(runs, false, uri, { from, until })).toEqual({
    matches,
    sentence: typeof words === 'string' ? words : (expect.stringMatching(words) as unknown),
  })
})

test.each([
  [runs, '3', "it doesn't cover any of the 3 most recently evaluated versions"],
  [runs.slice(0, 1), '3', "it doesn't cover the most recently evaluated version"],
  [runs.slice(1, 2), '2', 'none of the most recently evaluated versions in it fails'],
])(
  "where older runs are recorded, what isn't covered is said of the newest alone",
  (some, from, words) => {
    expect(coverage(some, true, uri, { from, until: null }).sentence).toContain(words)
  },
)

test('a version fails where its last complete run fails, or that of one of its artifacts', () => {
  const broken = { ...run('2.4.0', false), ended: 'broken' as const }
  const other = { ...run('2.3.0', false), sha256: 'cd' }
  const found = coverage([broken, run('2.4.0', true), other, run('2.3.0', true)], false, uri, {
    from: '2',
    until: null,
  })
  expect(found.sentence).toBe('Covers 2.4.0 (fails), 2.3.0 (fails), and versions to come.')
})

test('of a package without recorded versions no number is said', () => {
  expect(coverage([], false, uri, { from: '1', until: null }).sentence).toBe(
    'Matches nothing yet: no version is recorded.',
  )
})
