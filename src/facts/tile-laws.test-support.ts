import type { Facts } from '../protocol/facts.ts'
import type { BranchRule } from './tile-branch.ts'
import { addBuilds, noBuilds, type TileBuilds } from './tile-builds.ts'
import type { TileState } from './tile-state.ts'

const minute = 60_000

/** A case of the laws by which a tile has its color, the same on a wall and for alerts. */
export interface TileLaw {
  readonly law: string
  /** As `lawBuilds` reads it. */
  readonly builds: string
  readonly rule?: BranchRule
  readonly state: Partial<TileState>
}

/** Builds of these, in whatever order. */
export function tileBuildsOf(builds: Iterable<Facts>): TileBuilds {
  return addBuilds(noBuilds, builds)
}

/**
 * Builds written as `branch commit work outcome`, the oldest first, a minute apart, with `;` between
 * them. `-` is what nothing names; the outcome is S or F; `PR` and `LOCAL` behind it are tags, `job=x`
 * names a CI job, `slow` says that it took ten minutes, `took=90` that it took so many seconds, `tag=x` adds a tag, `F:t`, `P`
 * and `R:t` say that test t of the one test task failed, that all passed, and that t failed and then passed; and without either the build is tagged `CI`. The last one arrives at `end`, epoch ms.
 */
export function lawBuilds(text: string, end: number, project = 'checkout'): Facts[] {
  const all = text.split(';').flatMap((part) => {
    const [, one = '', times] = /^(.*?)(?: x(\d+))?$/.exec(part.trim()) ?? []
    return Array.from({ length: Number(times ?? 1) }, () => one)
  })
  return all.map((one, index) => {
    const [branch = '-', commit = '-', work = '-', outcome, ...more] = one.split(/ +/)
    const named = (name: string, value: string) => (value === '-' ? [] : [{ name, value }])
    const job = more.find((mark) => mark.startsWith('job='))?.slice('job='.length)
    const took = more.find((mark) => mark.startsWith('took='))?.slice('took='.length)
    const isOdd = more.includes('PR') || more.includes('LOCAL') || more.includes('plain')
    return {
      buildId: `b${String(Math.floor((end - (all.length - 1 - index) * minute) / 1000)).padStart(12, '0')}`,
      receivedAt: end - (all.length - 1 - index) * minute,
      buildTool: 'gradle',
      buildToolVersion: '9',
      agentVersion: '4',
      project,
      ...(more.includes('slow') ? { durationMs: 10 * minute } : {}),
      ...(took === undefined ? {} : { durationMs: 1000 * Number(took) }),
      outcome: outcome === 'F' ? 'failed' : 'succeeded',
      ...(work === '-' ? {} : { requested: [work] }),
      ...testsOf(more),
      tags: [
        ...more.flatMap((mark) => (mark.startsWith('tag=') ? [mark.slice('tag='.length)] : [])),
        ...(more.includes('PR') ? ['CI', 'PR-7'] : []),
        ...(more.includes('LOCAL') ? ['LOCAL'] : []),
        ...(isOdd ? [] : ['CI']),
      ],
      values: [
        ...named('Git branch', branch),
        ...named('Git commit id', commit),
        ...(job === undefined ? [] : [{ name: 'CI job', value: job }]),
      ],
    }
  })
}

/** What marks such as `F:adds` say of the tests. */
function testsOf(marks: readonly string[]): Pick<Facts, 'tests'> {
  const named = (prefix: string) =>
    marks.flatMap((mark) =>
      mark.startsWith(prefix) ? [{ task: ':test', name: mark.slice(prefix.length) }] : [],
    )
  const [failed, flaky] = [named('F:'), named('R:')]
  const passedTasks = marks.includes('P') || flaky.length > 0 ? [':test'] : []
  const isKnown = failed.length + flaky.length + passedTasks.length > 0
  return isKnown ? { tests: { failed, flaky, passedTasks } } : {}
}

export const tileLaws: readonly TileLaw[] = [
  {
    law: 'a green feature branch does not hide a red main',
    builds: 'main c1 check F; feature/x c2 check S',
    state: { status: 'failing', failingBranches: [] },
  },
  {
    law: 'a red feature branch does not make a green main red, and is counted apart',
    builds: 'main c1 check S; feature/x c2 check F; feature/y c3 check F',
    state: { status: 'healthy', failingBranches: ['feature/y', 'feature/x'] },
  },
  {
    law: 'a feature branch that is green again is no longer counted',
    builds: 'main c1 check S; feature/x c2 check F; feature/x c3 check S',
    state: { status: 'healthy', failingBranches: [] },
  },
  {
    law: 'however many pull requests are built, main stays as it was',
    builds: 'main c1 check F; feature/x c2 check S PR x80',
    state: { status: 'failing' },
  },
  {
    law: 'a pull request from a branch that is called main is no build of main',
    builds: 'main c1 check S; main c2 check F PR',
    state: { status: 'healthy' },
  },
  {
    law: 'a local build of main says nothing where CI builds it',
    builds: 'main c1 check F; main c2 check S LOCAL',
    state: { status: 'failing' },
  },
  {
    law: 'local builds of main count where nothing else builds it',
    builds: 'main c1 check F LOCAL; main c2 check S LOCAL',
    state: { status: 'healthy' },
  },
  {
    law: 'main stands before master and trunk, and before what is built more often',
    builds: 'develop c1 check S x5; master c2 check S; main c3 check F; develop c4 check S',
    state: { status: 'failing', branch: undefined },
  },
  {
    law: 'without a usual name it is the branch that most CI builds outside pull requests build',
    builds:
      'develop c1 check F; develop c1 lint F; feature/x c2 check S; feature/y c3 check S PR x9',
    state: { status: 'failing', branch: 'develop' },
  },
  {
    law: 'a branch that is configured for the project stands for it',
    builds: 'main c1 check S; release/1 c2 check F',
    rule: { projects: { Checkout: 'release/1' } },
    state: { status: 'failing', branch: 'release/1' },
  },
  {
    law: 'a branch that is configured for the tile stands before that of the project',
    builds: 'main c1 check S; release/1 c2 check F; release/2 c3 check S',
    rule: { tile: 'release/2', projects: { checkout: 'release/1' } },
    state: { status: 'healthy', branch: 'release/2', failingBranches: ['release/1'] },
  },
  {
    law: 'a tile of all branches is as red as the one that failed last',
    builds: 'main c1 check S; feature/x c2 check F',
    rule: { tile: '*' },
    state: { status: 'failing', branch: '*', failingBranches: [] },
  },
  {
    law: 'where no build names a branch all count',
    builds: '- c1 check S; - c2 check F',
    state: { status: 'failing', branch: undefined },
  },
  {
    law: 'a build that names no branch says nothing of one that others name',
    builds: 'main c1 check F; - c2 check S',
    state: { status: 'failing' },
  },
  {
    law: 'unless most builds name none',
    builds: '- - check S x2; main c1 check F; - - check S',
    state: { status: 'healthy' },
  },
  {
    law: 'pull requests alone do not say how the default branch stands',
    builds: 'feature/x c1 check F PR; feature/y c2 check S PR',
    state: { status: 'unknown', failingBranches: ['feature/x'] },
  },
  {
    law: 'a failure that another commit fixed is fixed, and not flaky',
    builds: 'main c1 check S; main c2 check F; main c3 check S',
    state: { status: 'healthy', fixedBy: 'c3', inARow: 1, flaky: undefined },
  },
  {
    law: 'another commit fixes it whatever it was asked for, where no CI job is named',
    builds: 'main c1 :a:check F; main c2 :b:check S',
    state: { status: 'healthy', fixedBy: 'c2' },
  },
  {
    law: 'other work of the same commit does not fix it, and is not flaky',
    builds: 'main c1 check F; main c1 lint S',
    state: { status: 'failing', inARow: 1, between: 1 },
  },
  {
    law: 'another CI job does not fix it, though it is of the next commit',
    builds: 'main c1 check F job=test; main c2 lint S job=lint',
    state: { status: 'failing' },
  },
  {
    law: 'the same CI job of the next commit fixes it',
    builds: 'main c1 check F job=test; main c2 lint S job=lint; main c2 check S job=test',
    state: { status: 'healthy', fixedBy: 'c2' },
  },
  {
    law: 'ten successes in a row end the failure of a job that is no longer run',
    builds: 'main c1 check F job=old; main c2 check S job=new x10',
    state: { status: 'healthy' },
  },
  {
    law: 'nine do not',
    builds: 'main c1 check F job=old; main c2 check S job=new x9',
    state: { status: 'failing' },
  },
  {
    law: 'a slow failure of an older commit says nothing of the present',
    builds: 'main c1 lint S; main c2 check S; main c1 check F',
    state: { status: 'healthy' },
  },
  {
    law: 'nor does one that began before the newer commit, though nothing of it was seen until then',
    builds: 'main c2 check S; main c1 check F slow',
    state: { status: 'healthy' },
  },
  {
    law: 'a slow success of an older commit fixes nothing',
    builds: 'main c1 lint S; main c2 check F; main c1 check S',
    state: { status: 'failing' },
  },
  {
    law: 'one commit that failed and succeeded with the same work is flaky',
    builds: 'main c1 check F; main c1 check S',
    state: { status: 'flaky', flaky: { commit: 'c1', test: undefined }, fixedBy: undefined },
  },
  {
    law: 'one commit that succeeded and then failed with the same work is failing',
    builds: 'main c1 check S; main c1 check F',
    state: { status: 'failing', flaky: undefined },
  },
  {
    law: 'nothing is flaky where builds name no commit',
    builds: 'main - check F; main - check S',
    state: { status: 'healthy', fixedBy: undefined },
  },
  {
    law: 'a flaky commit of a feature branch does not make main flaky',
    builds: 'main c1 check S; feature/x c2 check F; feature/x c2 check S',
    state: { status: 'healthy' },
  },
  {
    law: 'it is flaky for nine successes in a row',
    builds: 'main c1 check F; main c1 check S; main c2 check S x8',
    state: { status: 'flaky', inARow: 9 },
  },
  {
    law: 'and healthy after ten',
    builds: 'main c1 check F; main c1 check S; main c2 check S x9',
    state: { status: 'healthy', inARow: 10 },
  },
  {
    law: 'a failure in between begins the count of successes anew',
    builds: 'main c1 check F; main c1 check S x9; main c2 check F; main c3 check S x9',
    state: { status: 'flaky', flaky: { commit: 'c1', test: undefined }, inARow: 9 },
  },
  {
    law: 'jobs of a matrix are other work: one that fails beside others that pass is failing, and not flaky',
    builds: 'main c1 check S tag=JDK-17; main c1 check F tag=JDK-21; main c1 check S tag=JDK-25',
    state: { status: 'failing', flaky: undefined },
  },
  {
    law: 'another job of the matrix does not fix it with the next commit either',
    builds: 'main c1 check F tag=Linux; main c2 check S tag=Windows',
    state: { status: 'failing' },
  },
  {
    law: 'the same job of the matrix does, whatever state its checkout was in',
    builds: 'main c1 check F tag=Linux tag=Dirty; main c2 check S tag=Linux tag=run-20261122',
    state: { status: 'healthy', fixedBy: 'c2' },
  },
  {
    law: 'a success among failures of an older commit is counted as what it is',
    builds: 'main c1 lint S; main c2 check S; main c1 check F; main c2 lint S',
    state: { status: 'healthy', inARow: 3, between: 1 },
  },
  {
    law: 'one test that failed and passed on one commit is flaky, whatever else was requested',
    builds: 'main c1 check F F:adds; main c1 test S P; main c2 check S',
    state: { status: 'flaky', flaky: { commit: 'c1', test: 'adds' } },
  },
  {
    law: 'in whatever order, and whatever else failed',
    builds: 'main c1 check F P; main c1 test F F:adds; main c2 test S',
    state: { status: 'flaky', flaky: { commit: 'c1', test: 'adds' } },
  },
  {
    law: 'a test that failed on one commit and passed on the next is fixed, and not flaky',
    builds: 'main c1 check F F:adds; main c2 check S P',
    state: { status: 'healthy', flaky: undefined, fixedBy: 'c2' },
  },
  {
    law: 'a test that fails in one job of a matrix and passes in another is not flaky',
    builds:
      'main c1 check F F:adds tag=JDK-21; main c1 check S P tag=JDK-17; main c2 check S tag=JDK-21',
    state: { status: 'healthy', flaky: undefined },
  },
  {
    law: 'a test that was tried again and passed makes a green build flaky',
    builds: 'main c1 check S; main c2 check S R:adds',
    state: { status: 'flaky', flaky: { commit: 'c2', test: 'adds' } },
  },
  {
    law: 'also where nothing names the commit, until ten builds after it are green',
    builds: 'main - check S R:adds; main - check S x9',
    state: { status: 'flaky', flaky: { commit: undefined, test: 'adds' } },
  },
  {
    law: 'and healthy after these ten',
    builds: 'main - check S R:adds; main - check S x10',
    state: { status: 'healthy' },
  },
  {
    law: 'the first failure after a success is new',
    builds: 'main c1 check S; main c2 check F',
    state: { status: 'failing', news: 'failed', times: 1 },
  },
  {
    law: 'so are several jobs that fail on one commit, which fail for the first time',
    builds:
      'main c1 check S job=a; main c1 lint S job=b; main c2 check F job=a; main c2 lint F job=b',
    state: { status: 'failing', news: 'failed', times: 1, inARow: 2 },
  },
  {
    law: 'a failure before which nothing is known is not called new',
    builds: 'main c1 check F',
    state: { status: 'failing', news: undefined },
  },
  {
    law: 'work that fails for the third time is counted alone, whatever failed beside it',
    builds: 'main c1 check S; main c2 check F; main c2 lint F; main c3 check F; main c4 check F',
    state: { status: 'failing', news: undefined, times: 3, inARow: 4 },
  },
  {
    law: 'the first success after failures is news: fixed',
    builds: 'main c1 check F x3; main c2 check S',
    state: { status: 'healthy', news: 'fixed', times: 0 },
  },
  {
    law: 'a success of the same commit fixes nothing: it is flaky, which is no good news',
    builds: 'main c1 check F; main c1 check S',
    state: { status: 'flaky', news: undefined },
  },
  {
    law: 'one success after which it fails again is a new failure',
    builds: 'main c1 check F x2; main c2 check S; main c3 check F',
    state: { status: 'failing', news: 'failed', times: 1 },
  },
  {
    law: 'three successes that each took a quarter and a minute longer than usual are slower',
    builds: 'main c1 check S took=600 x20; main c2 check S took=780 x3',
    state: { status: 'slower' },
  },
  {
    law: 'a single slow build says nothing, nor do two',
    builds: 'main c1 check S took=600 x20; main c2 check S took=1200 x2',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'nor do three of which one was as fast as ever',
    builds:
      'main c1 check S took=600 x20; main c2 check S took=900; main c3 check S took=600; main c4 check S took=900',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'a quarter longer is not enough where that is less than a minute',
    builds: 'main c1 check S took=100 x20; main c2 check S took=155 x3',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'nor a minute longer where that is less than a quarter',
    builds: 'main c1 check S took=3600 x20; main c2 check S took=4000 x3',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'builds with a cold cache now and then are no news',
    builds:
      'main c1 check S took=120 x9; main c1 check S took=600; main c2 check S took=120 x10; main c3 check S took=600; main c4 check S took=120; main c5 check S took=600',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'one very slow build among those before does not move what is usual',
    builds: 'main c1 check S took=600 x19; main c1 check S took=9000; main c2 check S took=780 x3',
    state: { status: 'slower' },
  },
  {
    law: 'other requested work takes its own time',
    builds: 'main c1 check S took=120 x20; main c2 nightly S took=3600 x3',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'so does another job of the matrix',
    builds: 'main c1 check S took=120 tag=Linux x20; main c2 check S took=600 tag=Windows x3',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'of a new project nobody knows what is usual',
    builds: 'main c1 check S took=60 x9; main c2 check S took=600 x3',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'a failure, which may end early, says nothing of how long it takes',
    builds:
      'main c1 check S took=600 x20; main c2 check S took=780 x2; main c3 check F took=1200; main c4 check S took=780',
    state: { status: 'slower' },
  },
  {
    law: 'nor one that hung until it was canceled',
    builds: 'main c1 check S took=600 x20; main c2 check F took=9000 x3; main c4 check S took=600',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'what is slow for good has become usual',
    builds: 'main c1 check S took=600 x20; main c2 check S took=780 x14',
    state: { status: 'healthy', slower: undefined },
  },
  {
    law: 'a failing tile is failing, however slow it was',
    builds: 'main c1 check S took=600 x20; main c2 check S took=780 x3; main c3 check F',
    state: { status: 'failing' },
  },
  {
    law: 'a slow feature branch does not make main slower',
    builds: 'main c1 check S took=600 x20; feature/x c2 check S took=1200 x3',
    state: { status: 'healthy', slower: undefined },
  },
]
