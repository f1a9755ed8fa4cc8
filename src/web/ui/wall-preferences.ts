import { z } from 'zod'

/** How a wall is shown on a screen; each can also stand in a link. */
export const WallSettings = z.object({
  /** Tiles that are well: as room allows, always, or as a count. */
  healthy: z.enum(['auto', 'show', 'fold']).default('auto'),
  scheme: z.enum(['dark', 'light']).default('dark'),
  /** `blue`: blue and orange; `contrast`: light and dark shades, which any eye tells apart. */
  palette: z.enum(['standard', 'blue', 'contrast']).default('standard'),
  /** Per cent of each side that a television may cut off. */
  margin: z.number().min(0).max(10).default(0),
  /** How long a page stays, seconds, where the tiles need several. */
  page: z.number().int().min(5).max(600).default(15),
  /** Whether the picture wanders by a few pixels, against burning in. */
  drift: z.boolean().default(true),
  clock: z.boolean().default(true),
  sound: z.boolean().default(false),
  speech: z.boolean().default(false),
  notify: z.boolean().default(false),
  /** Hours of the day, 0 to 23, between which the wall is dimmed; the same twice: never. */
  dimFrom: z.number().int().min(0).max(23).default(0),
  dimTo: z.number().int().min(0).max(23).default(0),
  /** Names of the walls that take turns with this one, `*` for all projects, and how long each stays, seconds. */
  rotate: z.array(z.string()).readonly().default([]),
  turn: z.number().int().min(10).max(3600).default(60),
})
export type WallSettings = z.infer<typeof WallSettings>
