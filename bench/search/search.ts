/**
 * The search language beside other parsers and filters, in one run: a query of 200 characters, its
 * check, one keystroke in a long one, and builds filtered in memory. Medians; what other processes do
 * meanwhile touches all of them alike.
 */
import { type Parser, TreeFragment } from '@lezer/common'
import { parser as promqlParser } from '@prometheus-io/lezer-promql'
import { filter, parse as parseLiqe } from 'liqe'
import lucene from 'lucene'
import searchQueryParser from 'search-query-parser'
import { check } from '../../src/search/check.ts'
import { parser } from '../../src/search/grammar/parser.ts'
import { compile } from '../../src/search/match.ts'
import { parse, queryFromTree } from '../../src/search/parse.ts'
import {
  conditions,
  longPromql,
  longQuery,
  manyFacts,
  ownConditions,
  promql,
  query,
} from './inputs.ts'
import { medianMicroseconds } from './timing.ts'

measureParsers()
measureCheck()
for (const length of [10_000, 100_000]) measureKeystroke(length)
measureFilter()

function measureParsers(): void {
  say(`\nparse, ${query.length} characters`)
  const own = medianMicroseconds(() => parse(query))
  say('sightline: parse to a tree with positions', `${own.toFixed(1)} µs`)
  say('sightline: the Lezer tree alone', `${time(() => parser.parse(query))} µs`)
  const others = {
    [`lezer-promql (${promql.length} characters of its own)`]: () => promqlParser.parse(promql),
    liqe: () => parseLiqe(query),
    lucene: () => lucene.parse(query),
  }
  for (const [name, work] of Object.entries(others)) {
    const median = medianMicroseconds(work)
    say(name, `${median.toFixed(1)} µs`, `${(median / own).toFixed(1)} x ours`, median > own)
  }
  const keywords = ['project', 'tag', 'buildTool', 'user', 'buildOutcome', 'hostname']
  const flat = medianMicroseconds(() => searchQueryParser.parse(query, { keywords }))
  say('search-query-parser (no and, or, parentheses)', `${flat.toFixed(1)} µs`)
}

function measureCheck(): void {
  say('\nparse and check')
  const alone = medianMicroseconds(() => parse(query))
  const both = medianMicroseconds(() => check(parse(query)))
  const ratio = both / alone
  say('parse', `${alone.toFixed(1)} µs`)
  say('parse and check', `${both.toFixed(1)} µs`, `${ratio.toFixed(2)} x   goal: 3`, ratio < 3)
}

function measureKeystroke(length: number): void {
  say(`\none keystroke in ${length.toLocaleString('en-US')} characters   goal: 200 µs`)
  const text = longQuery(length)
  const tree = parser.parse(text)
  const other = longPromql(length)
  say('all of it anew', `${time(() => parser.parse(text))} µs`)
  say('the query from its tree', `${time(() => queryFromTree(tree, text))} µs`)
  say(
    'all of it anew, lezer-promql',
    theirText(withinStack(() => medianMicroseconds(() => promqlParser.parse(other)))),
  )
  for (const [place, share] of Object.entries({ start: 0, middle: 0.5, end: 1 })) {
    const [own, theirs] = alternated(
      () => keystroke(parser, text, share),
      () => withinStack(() => keystroke(promqlParser, other, share)),
    )
    say(`at the ${place}`, `${own.toFixed(0)} µs`, '', own < 200)
    say(`at the ${place}, lezer-promql`, theirText(theirs))
  }
}

/** NaN where it exhausts the stack: its sums nest, a level for each term of a long query. */
function withinStack(measure: () => number): number {
  try {
    return measure()
  } catch (error) {
    if (error instanceof RangeError) return NaN
    throw error
  }
}

function theirText(microseconds: number): string {
  return Number.isNaN(microseconds) ? 'exhausts the stack' : `${microseconds.toFixed(0)} µs`
}

/** The medians of five rounds of two measurements, by turns: other processes slow both. */
function alternated(first: () => number, second: () => number): [number, number] {
  const rounds = Array.from({ length: 5 }, () => [first(), second()] as const)
  const middle = (times: number[]) => times.sort((a, b) => a - b)[2] ?? NaN
  return [middle(rounds.map(([time]) => time)), middle(rounds.map(([, time]) => time))]
}

/** A letter typed inside the word that is nearest to that share of the text. */
function keystroke(language: Parser, text: string, share: number): number {
  const at = Math.max(3, Math.min(text.length - 9, Math.floor(text.length * share)))
  const typed = `${text.slice(0, at)}x${text.slice(at)}`
  const fragments = TreeFragment.addTree(language.parse(text))
  const change = { fromA: at, toA: at, fromB: at, toB: at + 1 }
  return medianMicroseconds(
    () => language.parse(typed, TreeFragment.applyChanges(fragments, [change])),
    100,
  )
}

function measureFilter(): void {
  const facts = manyFacts(100_000)
  say(`\nfilter ${facts.length.toLocaleString('en-US')} builds by six conditions   goal: 10 x liqe`)
  const matches = compile(parse(ownConditions), { now: 0, timeZone: 'UTC' })
  const ast = parseLiqe(conditions)
  let own = 0
  let other = 0
  const ownTime = medianMicroseconds(() => {
    own = facts.filter((one) => matches(one) === 'yes').length
  }, 50)
  const otherTime = medianMicroseconds(() => {
    other = filter(ast, facts).length
  }, 50)
  say('sightline: compile', `${(ownTime / 1000).toFixed(1)} ms`, `${own} found`)
  say('liqe', `${(otherTime / 1000).toFixed(1)} ms`, `${other} found`)
  const ratio = otherTime / ownTime
  say('', `${ratio.toFixed(1)} x`, '', ratio >= 10 && own === other && own > 0)
}

function time(work: () => unknown): string {
  return medianMicroseconds(work).toFixed(1)
}

/** One line; a goal that is missed makes the run fail. */
function say(name: string, value = '', note = '', met = true): void {
  if (!met) process.exitCode = 1
  console.log(
    `${name.padEnd(56)}${value.padStart(12)}   ${note}${met ? '' : '   MISSED'}`.trimEnd(),
  )
}
