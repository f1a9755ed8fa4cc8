import type { Services } from '../data/core/services.ts'
import { signOut } from '../data/core/sign-in.ts'

/**
 * Signs out in all tabs, removes what walls kept on this device, and goes to where the browser ends the session with the
 * identity provider, if there is such an address. Throws a ProblemError.
 */
export async function leave(services: Pick<Services, 'request' | 'session'>): Promise<void> {
  const elsewhere = await signOut(services)
  const { keptWalls } = await import('../data/wall/kept-walls.ts')
  await keptWalls(indexedDB).forget()
  if (elsewhere !== undefined) location.assign(elsewhere)
}
