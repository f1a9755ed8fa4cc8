import { describe, expect, test } from 'vitest'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import { people, projects } from './company.ts'

describe('the projects of the company', () => {
  test('are built with every tool, mostly Gradle, and each has a name of its own', () => {
    expect(new Set(projects.map(({ tool }) => tool))).toEqual(new Set(toolsWithAttributes))
    const gradle = projects.filter(({ tool }) => tool === 'gradle')
    const share = (some: typeof projects): number =>
      some.reduce((sum, { weight }) => sum + weight, 0)
    expect(share(gradle)).toBeGreaterThan(share(projects) / 2)
    expect(new Set(projects.map(({ name }) => name)).size).toBe(projects.length)
  })

  test.each(projects)('$name has a job for every occasion and a team that exists', (project) => {
    const occasions = new Set(project.jobs.map(({ occasion }) => occasion))
    expect(occasions).toEqual(new Set(['change', 'nightly', 'release', 'local']))
    const names = people.map(({ username }) => username)
    for (const username of project.team) expect(names).toContain(username)
  })
})
