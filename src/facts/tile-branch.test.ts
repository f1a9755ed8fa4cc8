import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { branchSearch, originOf, partBuilds } from './tile-branch.ts'

let count = 0

function build(branch: string | undefined, more: Partial<Facts> = {}): Facts {
  count += 1
  return {
    buildId: `b${count}`,
    receivedAt: count,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'Shop',
    values: branch === undefined ? [] : [{ name: 'Git branch', value: branch }],
    ...more,
  }
}

const many = (branch: string, length: number): Facts[] =>
  Array.from({ length }, () => build(branch))
const noRule = {}

describe('the search for a default branch', () => {
  test('asks for the usual names where the newest builds name other branches alone', () => {
    expect(branchSearch('project:shop', many('fix', 3), noRule)).toBe(
      '(project:shop) and (value:"Git branch=main" or value:"Git branch=master" or value:"Git branch=trunk" or value:"Git branch=fix")',
    )
  })

  test('asks for a mainline that is seen, and not for others', () => {
    expect(branchSearch('a', [build('main'), ...many('fix', 3)], noRule)).toBe(
      '(a) and (value:"Git branch=main")',
    )
  })

  test('asks for the branch of a rule, whatever is in its name', () => {
    const rule = { projects: { shop: 'release "2"\\x' } }
    expect(branchSearch('a', many('fix', 3), rule)).toBe(
      '(a) and (value:"Git branch=release \\"2\\"\\\\x")',
    )
  })

  test.each([
    ['twenty builds of it are there', many('main', 20), noRule],
    ['no build names a branch', [build(undefined), build(undefined)], noRule],
    ['branches are blank', [build(' '), build('')], noRule],
    ['builds are of several projects', [build('fix'), build('fix', { project: 'web' })], noRule],
    ['there are no builds', [], noRule],
    ['all branches count', many('fix', 3), { projects: { shop: '*' } }],
  ])('is not made where %s', (_, builds, rule) => {
    expect(branchSearch('a', builds, rule)).toBeUndefined()
  })
})

describe('where a build comes from', () => {
  test.each([
    [{ name: 'JDK', value: '21' }, 'jdk=21'],
    [{ name: 'Matrix OS', value: 'Linux' }, 'matrix os=linux'],
    [{ name: 'JDK', value: '' }, undefined],
    [{ name: 'CI node', value: '7' }, undefined],
    [{ name: 'CI workflow', value: 'Nightly' }, 'Nightly'],
    [{ name: 'CI workflow', value: '12345678-1234-1234-1234-123456789abc' }, undefined],
  ])('%j makes the job %j', (value, job) => {
    expect(originOf(build(undefined, { values: [value] })).job).toBe(job)
  })

  test.each([
    ['refs/heads/main', 'main'],
    ['origin/fix', 'fix'],
    ['remotes/origin/fix', 'fix'],
    ['HEAD', undefined],
    ['', undefined],
  ])('the branch %j is %j', (written, branch) => {
    expect(originOf(build(written)).branch).toBe(branch)
  })
})

test('branches that are built alike often stand for a project in the order of their names', () => {
  const ofTwo = partBuilds([build('b'), build('a'), build('b'), build('a')], noRule)
  const turned = partBuilds([build('a'), build('b'), build('a'), build('b')], noRule)
  expect(ofTwo.branch).toBe(turned.branch)
})
