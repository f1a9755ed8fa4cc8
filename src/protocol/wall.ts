import { z } from 'zod'

/** A tile of a wall: a search, under a title. */
export const WallTile = z.looseObject({
  title: z.string(),
  /** In docs/services.md#advanced-search-syntax. */
  query: z.string(),
  /** Stays in front, whatever its state. */
  pinned: z.boolean().default(false),
})
export type WallTile = z.infer<typeof WallTile>

/** A wall that everybody who uses this proxy is offered. */
export const Wall = z.looseObject({
  /** The last segment of its address: `/wall/<name>`. */
  name: z.string().min(1),
  title: z.string().optional(),
  /** None: one tile for each project that arrives. */
  tiles: z.array(WallTile).default([]),
  /** `failing-first`: red, then flaky, then healthy; `stable`: as they are written. */
  order: z.enum(['failing-first', 'stable']).default('failing-first'),
  group: z.enum(['none', 'project', 'tool']).default('none'),
})
export type Wall = z.infer<typeof Wall>
