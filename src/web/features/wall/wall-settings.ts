import * as z from 'zod/mini'

/** How a wall is shown on a screen; each can also stand in a link. */
export const WallSettings = z.object({
  /** Tiles that are well: as room allows, always, or as a count. */
  healthy: z._default(z.enum(['auto', 'show', 'fold']), 'auto'),
  scheme: z._default(z.enum(['dark', 'light']), 'dark'),
  /** `blue`: blue and orange; `contrast`: light and dark shades, which any eye tells apart. */
  palette: z._default(z.enum(['standard', 'blue', 'contrast']), 'standard'),
  /** Per cent of each side that a television may cut off. */
  margin: z._default(z.number().check(z.minimum(0), z.maximum(10)), 0),
  /** How long a page stays, seconds, where the tiles need several. */
  page: z._default(z.int().check(z.minimum(5), z.maximum(600)), 15),
  /** Whether the picture wanders by a few pixels, against burning in. */
  drift: z._default(z.boolean(), true),
  clock: z._default(z.boolean(), true),
  /** Whether failing tiles with room have a QR code of their build. */
  qr: z._default(z.boolean(), false),
  sound: z._default(z.boolean(), false),
  speech: z._default(z.boolean(), false),
  notify: z._default(z.boolean(), false),
  /** Hours of the day, 0 to 23, between which the wall is dimmed; the same twice: never. */
  dimFrom: z._default(z.int().check(z.minimum(0), z.maximum(23)), 0),
  dimTo: z._default(z.int().check(z.minimum(0), z.maximum(23)), 0),
  /** Names of the walls that take turns with this one, `*` for all projects, and how long each stays, seconds. */
  rotate: z._default(z.readonly(z.array(z.string())), []),
  turn: z._default(z.int().check(z.minimum(10), z.maximum(3600)), 60),
})
export type WallSettings = z.infer<typeof WallSettings>

/** The settings of walls as they are kept on this device; those that cannot be read are left out. */
export function keptWallSettings(
  kept: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, WallSettings>> {
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, value]) => {
      const read = WallSettings.safeParse(value)
      return read.success ? [[name, read.data]] : []
    }),
  )
}
