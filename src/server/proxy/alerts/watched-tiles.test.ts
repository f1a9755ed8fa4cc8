import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { createAlertProjects } from './watched-tiles.ts'

let number = 0
const build = (project: string, outcome: 'failed' | 'succeeded'): Facts => {
  number += 1
  return {
    buildId: `b${String(number).padStart(12, '0')}`,
    receivedAt: number,
    buildTool: 'maven',
    buildToolVersion: '3',
    agentVersion: '2',
    project,
    outcome,
  }
}

function projectsOf(most: number) {
  const full: string[] = []
  const projects = createAlertProjects({
    others: new Set(['project:named']),
    rule: {},
    most,
    onFull: () => full.push('full'),
  })
  const titles = (): string[] =>
    [...projects.red(most + 1), ...projects.changed()].map(({ title }) => title)
  return { projects, full, titles }
}

test('a project whose name is blanks alone is named so that people see it', () => {
  const { projects, titles } = projectsOf(3)
  projects.learn(build('  ', 'failed'))
  expect(titles()).toEqual(['“  ”'])
})

test('who has not built for longest gives way, but not who is red', () => {
  const { projects, full, titles } = projectsOf(3)
  const builds = [build('a', 'failed'), build('b', 'succeeded'), build('c', 'succeeded')]
  builds.forEach(projects.learn)
  expect(full).toEqual([])
  projects.learn(build('b', 'succeeded'))
  projects.learn(build('d', 'succeeded'))
  expect(titles()).toEqual(['a', 'b', 'd'])
  expect(full).toEqual(['full'])
  for (const red of ['x', 'y', 'z']) projects.learn(build(red, 'failed'))
  // Where all are red, it is the one whose last failure is oldest.
  expect(titles()).toEqual(['x', 'y', 'z'])
  projects.learn(build('e', 'succeeded'))
  expect(titles()).toEqual(['x', 'y', 'z'])
  expect(full).toEqual(['full'])
})

test("one without news, or with a tile of its own, takes nobody's place", () => {
  const { projects, titles } = projectsOf(1)
  const older = build('older', 'succeeded')
  projects.learn(build('newer', 'succeeded'))
  projects.learn(older)
  projects.learn(build('named', 'failed'))
  projects.learn({ ...build('x', 'failed'), project: null })
  expect(titles()).toEqual(['newer'])
})

test('the red ones that were checked longest ago come first', () => {
  const { projects } = projectsOf(5)
  for (const name of ['a', 'b', 'c']) projects.learn(build(name, 'failed'))
  for (const [index, project] of projects.red(2).entries()) project.searchedAt = 10 - index
  expect(projects.red(2).map(({ title }) => title)).toEqual(['c', 'b'])
})

test.each([
  'x'.repeat(5000),
  'é'.repeat(900),
  '\0',
  'a\nb',
  '"',
  '\\',
  '(',
  'not a',
  '[a to b]',
  '*',
  '\ud800',
])('whatever a project is called, what is learned of it harms nobody (%j)', (name) => {
  const { projects, titles } = projectsOf(3)
  projects.learn(build(name, 'failed'))
  projects.learn(build('web', 'failed'))
  expect(titles()).toContain('web')
})
