import type { TileState } from '../../facts/tile-state.ts'

/** What a message is about. */
export interface AlertSubject {
  readonly title: string
  readonly state: TileState
  /** When the failures began, epoch ms. */
  readonly since: number
  /** Minutes of being red that are told of; undefined where it has recovered. */
  readonly redFor: number | undefined
  /** The page of a build; undefined where none is known. */
  readonly linkOf: (buildId: string) => string | undefined
}

/**
 * The message of an alert as Slack and its like read it: what broke, since when, and where to look.
 * Times are UTC. Nothing in it that came from a build can become a link, a mention or a line of its
 * own; it is never longer than about 1,500 characters.
 */
export function alertText(subject: AlertSubject): string {
  const { title, state, since, redFor, linkOf } = subject
  const name = plain(title)
  if (redFor === undefined) {
    const link = linkTo(state.newest && linkOf(state.newest.buildId))
    return `✓ ${name} is well again; it had been failing since ${timeText(since)}.${link}`
  }
  const { breaking, inARow, isOpen } = state
  const row = inARow > 1 ? `, ${isOpen ? 'at least ' : ''}${inARow} builds in a row` : ''
  const still = redFor === 0 ? 'is failing' : `is still failing after ${minutesText(redFor)}`
  const link = linkTo(breaking && linkOf(breaking.buildId))
  return `✕ ${name} ${still}, since ${timeText(since)}${row}.${brokenBy(state)}${link}`
}

function brokenBy({ breaking }: TileState): string {
  if (breaking === undefined) return ''
  const { requested, branch, user } = breaking
  const what = plain(requested.join(' '))
  const origin = [
    branch === undefined ? '' : ` on ${plain(branch)}`,
    user === undefined ? '' : ` by ${plain(user)}`,
  ].join('')
  if (what === '' && origin === '') return ''
  return ` It began with ${what === '' ? 'a build' : what}${origin}.`
}

function linkTo(address: string | undefined): string {
  // Percent-encoded already: neither > nor | can be in it.
  return address === undefined ? '' : ` <${address.replaceAll('&', '&amp;')}|Build>`
}

function minutesText(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const longestPart = 200

/** A text from outside on one line, with the three characters escaped that begin markup. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, ' ').trim()
  const short = line.length > longestPart ? `${line.slice(0, longestPart - 1)}…` : line
  return short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
