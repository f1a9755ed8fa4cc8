import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where files of tests find what another one has made; it lasts as long as the run. */
    readonly sharedFolder: string
  }
}

/** Vitest calls this once for a run, and what it answers at its end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-shared-'))
  // PostgreSQL runs as a user of its own, and has its folder in here.
  await chmod(folder, 0o711)
  project.provide('sharedFolder', folder)
  return () => rm(folder, { recursive: true })
}
