import { describe, expect, test } from 'vitest'
import { modulesBelow, tasksFor } from './gradle-tasks.ts'
import { type Project, projects } from './projects.ts'

function project(name: string): Project {
  const found = projects.find((one) => one.name === name)
  if (found === undefined) throw new RangeError(name)
  return found
}

describe('the tasks of a Gradle build', () => {
  test('of one module bring the jars of the modules that it stands on, and no more', () => {
    const paths = tasksFor(project('identity'), [':identity-server:test'], []).map(
      ({ path }) => path,
    )
    expect(paths).toEqual([
      ':tokens:compileJava',
      ':tokens:processResources',
      ':tokens:classes',
      ':tokens:jar',
      ':identity-server:compileJava',
      ':identity-server:processResources',
      ':identity-server:classes',
      ':identity-server:compileTestJava',
      ':identity-server:processTestResources',
      ':identity-server:testClasses',
      ':identity-server:test',
    ])
  })

  test('come after what they depend on, each once', () => {
    for (const one of projects.filter(({ tool }) => tool === 'gradle')) {
      const tasks = tasksFor(one, ['clean', 'build', 'integrationTest', 'publish'], [])
      expect(new Set(tasks.map(({ path }) => path)).size).toBe(tasks.length)
      for (const [position, { dependsOn }] of tasks.entries()) {
        for (const dependency of dependsOn) expect(dependency).toBeLessThan(position)
      }
    }
  })

  test('leave out what is excluded', () => {
    const paths = tasksFor(project('checkout'), ['check'], ['spotlessCheck']).map(
      ({ path }) => path,
    )
    expect(paths).toContain(':checkout-app:detekt')
    expect(paths.filter((path) => path.endsWith('spotlessCheck'))).toEqual([])
  })

  test('compile after cleaning', () => {
    const tasks = tasksFor(project('checkout'), ['clean', 'assemble'], [])
    const clean = tasks.findIndex(({ path }) => path === ':checkout-api:clean')
    const compile = tasks.find(({ path }) => path === ':checkout-api:compileKotlin')
    expect(compile?.dependsOn).toContain(clean)
  })

  test('know the modules below a module, itself included', () => {
    expect([...modulesBelow(project('checkout'), 'checkout-app')].sort()).toEqual([
      'checkout-app',
      'checkout-model',
    ])
  })
})
