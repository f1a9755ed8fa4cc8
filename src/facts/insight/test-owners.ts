import type { TestId } from '../../protocol/test-insight.ts'

/**
 * Who looks after a test: the owner with the longest prefix of its class; where none fits, of its
 * task's path, else of its project and the task's path. Undefined where no prefix fits.
 */
export function testOwners(
  owners: Readonly<Record<string, string>>,
): (test: TestId) => string | undefined {
  const longestFirst = Object.entries(owners).sort(([a], [b]) => b.length - a.length)
  return ({ project, task, className, name }) => {
    for (const text of [className ?? name, task, `${project ?? ''}${task}`]) {
      const found = longestFirst.find(([prefix]) => text.startsWith(prefix))
      if (found !== undefined) return found[1]
    }
    return undefined
  }
}
