import type { Wall } from '../../protocol/wall.ts'
import { projects } from './content/projects.ts'

/** Walls of the made-up company: its main branches, and its continuous integration by build tool. */
export function offeredWalls(): Wall[] {
  return [
    {
      name: 'main',
      title: 'Main branches',
      tiles: projects.map(({ name }) => ({
        title: name,
        query: `project:${name} and value:"Git branch=main"`,
        // What everything else waits for.
        pinned: name === 'checkout',
      })),
      order: 'failing-first',
      group: 'none',
    },
    {
      name: 'tools',
      title: 'Continuous integration by build tool',
      tiles: [...new Set(projects.map(({ tool }) => tool))].map((tool) => ({
        title: tool,
        query: `buildTool:${tool} and tag:CI`,
        pinned: false,
      })),
      order: 'stable',
      group: 'none',
    },
  ]
}
