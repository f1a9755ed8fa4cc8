import * as z from 'zod/mini'

/** Where a browser hears that something shared has changed: server-sent events of the type `Change`. */
export const changesPath = '/live/changes'

export const changeEvent = 'Change'

/** What can change for everybody. */
export const changeTopics = [
  /** A run was recorded; the key is `packagePath scan`. */
  'evaluations',
  /** A waiver was given, renewed, approved or ended; the key is the package's path. */
  'waivers',
  /** A release was decided or a decision was revoked; the key is the board's name or the package's path. */
  'decisions',
  /** An assignee, note or due date; the key is the board's name. */
  'assignments',
  /** The saved queries that all share, or somebody's own; the key is a query's id. */
  'queries',
  /** Tests that are quarantined; the key is the project. */
  'quarantine',
  /** Somebody claims what fails, or a tile sleeps; the key is the tile's query. */
  'claims',
  /** A wall that everybody is offered; the key is its name. */
  'walls',
  /** A screen or a setting that all share; the key is its name. */
  'settings',
] as const
export type ChangeTopic = (typeof changeTopics)[number]

/** What is to be requested again; without a key anything of the topic, as at a stream's start and after a gap. */
export const LiveChange = z.looseObject({
  topic: z.enum(changeTopics),
  key: z.optional(z.string()),
})
export type LiveChange = z.infer<typeof LiveChange>
