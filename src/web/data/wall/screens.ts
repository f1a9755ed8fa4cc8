import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { type NewScreen, Screen, ScreenList, screensPath } from '../../../protocol/screen.ts'
import type { Request } from '../core/request.ts'

const againMs = 15_000

/** The screens that have a credential of their own; asked again while they are looked at. */
export function screensQuery(request: Request) {
  return queryOptions({
    queryKey: ['screens'],
    queryFn: async ({ signal }) => (await request(screensPath, ScreenList, { signal })).screens,
    refetchInterval: againMs,
    retry: false,
  })
}

/** Confirms the code that a screen shows. Throws a ProblemError. */
export function confirmScreen(request: Request, body: NewScreen): Promise<Screen> {
  return request(screensPath, Screen, { method: 'POST', body })
}

/** Ends the credential of a screen. Throws a ProblemError. */
export async function revokeScreen(request: Request, id: string): Promise<void> {
  await request(`${screensPath}/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' })
}
