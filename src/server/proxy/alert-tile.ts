import { createHash } from 'node:crypto'
import type { TileState } from '../../facts/tile-state.ts'
import type { Database } from '../store/database.ts'
import {
  addAlert,
  changeTile,
  findTile,
  type WatchedTile,
  wasTold,
  watchTile,
} from '../store/alerts.ts'
import type { AlertRules } from './alert-rules.ts'
import { alertText, type AlertSubject } from './alert-text.ts'

/** A tile as it stands now. */
export interface SeenTile extends Pick<AlertSubject, 'title' | 'state' | 'linkOf'> {
  /** In its canonical form: tiles of one query are told of once. */
  readonly query: string
  /** Where nobody has looked at it before: what began earlier is no news, epoch ms. */
  readonly watchedSince: number
}

/**
 * Puts down what is to be told of a tile: that it is red, once for each spell and time, and that it is
 * well again, where anybody was told that it was red. What happened before the tile was first watched
 * is told nobody. Two proxies that look at once put it down once. `now` is epoch ms.
 */
export async function noteTile(
  database: Database,
  rules: AlertRules,
  seen: SeenTile,
  now: number,
): Promise<void> {
  const { state } = seen
  if (state.status === 'empty' || state.status === 'unknown') return
  const tile = createHash('sha256').update(seen.query).digest('hex')
  const before = (await findTile(database, tile)) ?? (await begin(database, tile, seen))
  const after = standing(before, state)
  if (after !== before) await changeTile(database, before, after)
  if (after.isFailing) await tellRed(database, rules, seen, after, now)
  else if (before.isFailing && rules.recovered && (await wasTold(database, tile, before.spell))) {
    const text = alertText({ ...seen, since: before.since, redFor: undefined })
    await addAlert(database, { tile, spell: before.spell, kind: 'recovered', text, createdAt: now })
  }
}

async function begin(
  database: Database,
  tile: string,
  { state, watchedSince }: SeenTile,
): Promise<WatchedTile> {
  const nothing = { tile, isFailing: false, spell: '', since: 0, watchedSince }
  await watchTile(database, standing(nothing, state))
  return (await findTile(database, tile)) ?? nothing
}

/** How a tile stands after what was seen; the very same where nothing has changed. */
function standing(before: WatchedTile, { status, breaking, isOpen }: TileState): WatchedTile {
  if (status !== 'failing' || breaking === undefined) {
    return before.isFailing ? { ...before, isFailing: false } : before
  }
  // Of a long row the first builds are forgotten: only after a success it is another one.
  const isAnother =
    breaking.buildId !== before.spell && !isOpen && breaking.receivedAt > before.since
  if (before.isFailing && !isAnother) return before
  return { ...before, isFailing: true, spell: breaking.buildId, since: breaking.receivedAt }
}

async function tellRed(
  database: Database,
  rules: AlertRules,
  seen: SeenTile,
  { tile, spell, since, watchedSince }: WatchedTile,
  now: number,
): Promise<void> {
  // After an outage only the latest is news.
  const redFor = Math.max(...rules.redFor.filter((minutes) => since + minutes * minuteMs <= now))
  if (!Number.isFinite(redFor) || since + redFor * minuteMs < watchedSince) return
  const text = alertText({ ...seen, since, redFor })
  await addAlert(database, { tile, spell, kind: `red:${redFor}`, text, createdAt: now })
}

const minuteMs = 60_000
