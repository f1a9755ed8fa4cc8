import type { ReleaseBoard } from '../protocol/proxy-config.ts'
import { readSubject, type Subject } from './subject.ts'

/** What a board asks for, or what is wrong with it: a plain sentence each. */
export type BoardReading =
  | { readonly ok: true; readonly subjects: readonly Subject[] }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * The packages of a board with its scans: a package that names its own is asked for those of them
 * only; `scan` takes one of the scans alone.
 */
export function boardSubjects(
  boards: readonly ReleaseBoard[],
  name: string,
  scan: string | undefined,
): BoardReading {
  const board = boards.find((one) => one.name === name)
  if (board === undefined) {
    const names = boards.map((one) => one.name).join(', ')
    const there = names === '' ? 'it has none' : `there are ${names}`
    return wrong(`The Sightline server has no release board “${name}”: ${there}.`)
  }
  if (scan !== undefined && !board.scans.includes(scan)) {
    return wrong(`The board “${name}” has no scan “${scan}”: there are ${board.scans.join(', ')}.`)
  }
  const scans = scan === undefined ? board.scans : [scan]
  const read = board.packages.flatMap((offered) =>
    scans
      .filter((one) => offered.scans.length === 0 || offered.scans.includes(one))
      .map((one) => ({
        offered,
        read: readSubject({ ...offered, package: offered.purl, scan: one }),
      })),
  )
  const mistakes = read.flatMap((one) =>
    one.read.ok ? [] : one.read.mistakes.map((text) => `${one.offered.purl}: ${text}`),
  )
  if (mistakes.length > 0) return { ok: false, mistakes: [...new Set(mistakes)] }
  const subjects = read.flatMap((one) => (one.read.ok ? [one.read.subject] : []))
  return subjects.length === 0
    ? wrong(`The board “${name}” has no package for its scans.`)
    : { ok: true, subjects }
}

function wrong(sentence: string): BoardReading {
  return { ok: false, mistakes: [sentence] }
}
