import { branchOf, type Facts } from '../protocol/facts.ts'
import { groupedBy } from '../protocol/keyed.ts'

/** Where a build comes from, as far as its custom values and tags say. */
export interface BuildOrigin {
  /** Folded, so that projects are equal in whatever case they are written; '' where none is named. */
  readonly project: string
  readonly branch: string | undefined
  readonly commit: string | undefined
  /** Who committed, as custom values say. */
  readonly committer: string | undefined
  /** Who committed, else the account that ran the build. */
  readonly author: string | undefined
  /** The CI job: workflow, job, stage and what it is run on; undefined where none is named. */
  readonly job: string | undefined
  /** Equal for builds of one project, tool and job that were asked for the same. */
  readonly work: string
  readonly isCi: boolean
  /** A person's own machine, where there may be changes that nobody has committed. */
  readonly isLocal: boolean
  readonly isPullRequest: boolean
  /** Equal for builds of one project and branch. */
  readonly line: string
}

/** A build stands in many tiles, and each needs this whenever a build arrives. */
const known = new WeakMap<Facts, BuildOrigin>()

/** The origin of a build, by the names that the common plug-ins give to values and tags. */
export function originOf(build: Facts): BuildOrigin {
  const before = known.get(build)
  if (before !== undefined) return before
  const origin = readOrigin(build)
  known.set(build, origin)
  return origin
}

function readOrigin(build: Facts): BuildOrigin {
  const { tags = [], values = [], requested = [] } = build
  const valueOf = (...names: string[]): string | undefined =>
    names
      .map(
        (wanted) => values.find(({ name, value }) => value !== '' && isName(name, wanted))?.value,
      )
      .find((value) => value !== undefined)
  const branch = branchName(build)
  const project = build.project?.toLowerCase() ?? ''
  const isCi =
    tags.some((tag) => isName(tag, 'ci')) || values.some(({ name }) => /^ci /i.test(name))
  // Some systems give each run of a workflow an id instead of a name.
  const workflow = valueOf('ci workflow')
  const named = [
    workflow !== undefined && /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(workflow) ? undefined : workflow,
    valueOf('ci job'),
    valueOf('ci stage'),
    ...variantOf(build, branch),
  ].filter((part) => part !== undefined)
  const job = named.length === 0 ? undefined : named.join(' / ')
  const committer = valueOf(...committerNames)
  return {
    project,
    branch,
    commit: valueOf('git commit id'),
    committer,
    author: committer ?? build.user ?? undefined,
    job,
    work: [project, build.buildTool, job ?? '', ...requested].join('\n'),
    isCi,
    isLocal: !isCi && tags.some((tag) => isName(tag, 'local')),
    isPullRequest:
      tags.some((tag) => /^(?:pr|mr)-\d+$/i.test(tag)) ||
      values.some(({ name, value }) => value !== '' && /\b(?:pull|merge) request\b/i.test(name)) ||
      (branch !== undefined && pullRequestBranch.test(branch)),
    line: `${project}\n${branch ?? ''}`,
  }
}

/** As plug-ins and scripts of pipelines name whoever made the change, the one that names a person best first. */
const committerNames = [
  'git author',
  'git author name',
  'git committer',
  'git committer name',
  'git commit author',
  'ci commit author',
  'ci actor',
  'ci triggered by',
  'git author email',
  'git committer email',
] as const

/**
 * What distinguishes the jobs of a matrix: custom values such as `JDK=21`, and tags such as `Linux`. Where it was built, by whom
 * and in which run says nothing of the work.
 */
function variantOf({ tags = [], values = [] }: Facts, branch: string | undefined): string[] {
  const named = values.flatMap(({ name, value }) =>
    value !== '' && matrixValue.test(name) ? [`${name}=${value}`] : [],
  )
  const tagged = tags.filter(
    (tag) =>
      tag !== branch && !isMainline(tag) && !passingTag.test(tag) && !/\d{5}|\d{4}-\d{2}/.test(tag),
  )
  return [...new Set([...named, ...tagged].map((part) => part.toLowerCase()))].sort()
}

const matrixValue =
  /^(?!(?:ci node|git ))(?:.*\b)?(?:matrix|variant|axis|shard|os|operating system|platform|arch(?:itecture)?|jdk|jvm|java|node|python|ruby|go|scala|kotlin|browser|database|api level)\b/i

/** Tags of a place, a state or a run: builds of the same work have them or not. */
const passingTag =
  /^(?:ci|local|dirty|idea|intellij.*|android studio|cmd line|(?:pr|mr)-\d+|(?:git[ -]?)?branch[:=].*|#?\d+|[0-9a-f]{7,})$/i

function isName(name: string, folded: string): boolean {
  return name.length === folded.length && name.toLowerCase() === folded
}

const pullRequestBranch = /^(?:refs\/)?(?:pull|pull-requests|merge-requests)\/|^(?:pr|mr)-\d+$/i

/** The branch as a value says it; failing that, a tag such as `branch:main`, or the name of a mainline. */
function branchName({ values, tags = [] }: Facts): string | undefined {
  const tagged = (): string | undefined =>
    tags
      .map((tag) => /^(?:git[ -]?)?branch[:=](.+)$/i.exec(tag.trim())?.[1]?.trim())
      .find((name) => name !== undefined) ?? tags.find(isMainline)
  const name = (branchOf({ values }) ?? tagged())?.replace(
    /^refs\/heads\/|^(?:remotes\/)?origin\//,
    '',
  )
  // A checkout without a branch says only where it stands.
  return name === '' || name === 'HEAD' ? undefined : name
}

const mainlines: readonly string[] = ['main', 'master', 'trunk']

/** Whether a branch has one of the names that default branches usually have. */
export function isMainline(branch: string): boolean {
  return mainlines.includes(branch)
}

/** Which branch a tile stands for: said by whoever made it, else learned from its builds. */
export interface BranchRule {
  /** Of every project of the tile; `*`: all branches count. */
  readonly tile?: string | undefined
  /** By project, in whatever case. */
  readonly projects?: Readonly<Record<string, string>> | undefined
}

/** The branch that a rule names for a project, folded as `BuildOrigin.project`; undefined: to be learned. */
export function ruledBranch(
  { tile, projects = {} }: BranchRule,
  project: string,
): string | undefined {
  if (tile !== undefined) return tile
  return Object.entries(projects).find(([name]) => name.toLowerCase() === project)?.[1]
}

/**
 * The default branch of a project, by its builds: `main`, `master` or `trunk`, in this order, where
 * something other than a pull request builds it; else the branch that most CI builds outside pull
 * requests build, or most other builds where nothing says CI. Undefined where no build names one.
 */
function defaultBranch(origins: readonly BuildOrigin[]): string | undefined {
  const own = origins.filter(({ branch, isPullRequest }) => branch !== undefined && !isPullRequest)
  const usual = mainlines.find((name) => own.some(({ branch }) => branch === name))
  if (usual !== undefined) return usual
  const ci = own.filter(({ isCi }) => isCi)
  const remote = ci.length > 0 ? ci : own.filter(({ isLocal }) => !isLocal)
  const counts = new Map<string, number>()
  for (const { branch = '' } of remote.length > 0 ? remote : own)
    counts.set(branch, (counts.get(branch) ?? 0) + 1)
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))[0]?.[0]
}

/**
 * The search that says how the default branch of a tile stands where its own, whose newest builds
 * these are, is full of others; undefined where it says enough, or builds are of several projects.
 */
export function branchSearch(
  query: string,
  builds: readonly Facts[],
  rule: BranchRule,
): string | undefined {
  const origins = builds.map(originOf)
  const [project, ...more] = new Set(origins.map((origin) => origin.project))
  if (project === undefined || more.length > 0) return undefined
  const ruled = ruledBranch(rule, project)
  const branch = ruled ?? defaultBranch(origins)
  const isNamed = origins.some((origin) => origin.branch !== undefined)
  if (!isNamed || branch === '*') return undefined
  if (branch !== undefined && partBuilds(builds, rule).counted.length >= enough) return undefined
  const isKnown = branch !== undefined && (ruled !== undefined || isMainline(branch))
  const names = isKnown ? [branch] : [...mainlines, ...(branch === undefined ? [] : [branch])]
  const terms = names.map((name) => `value:"Git branch=${name.replace(/["\\]/g, '\\$&')}"`)
  return `(${query}) and (${terms.join(' or ')})`
}

/** So many builds of a branch say how it stands. */
const enough = 20

/** The builds of a tile, parted by what they say of its color. Both keep their order. */
export interface PartedBuilds {
  /** On the default branches of their projects. */
  readonly counted: readonly Facts[]
  /** On other branches, of pull requests, and of people's own machines where CI builds the branch. */
  readonly others: readonly Facts[]
  /** The one branch that they stand for; undefined where there are several or none. */
  readonly branch: string | undefined
}

/** Parts builds by the branches that a tile stands for. Builds that name none count where most name none. */
export function partBuilds(builds: readonly Facts[], rule: BranchRule): PartedBuilds {
  const projects = groupedBy(builds.map(originOf), ({ project }) => project)
  const stands = new Map(
    [...projects].map(([project, origins]) => [project, standOf(project, origins, rule)]),
  )
  const isCounted = (build: Facts): boolean => {
    const origin = originOf(build)
    return stands.get(origin.project)?.counts(origin) === true
  }
  const branches = new Set([...stands.values()].map(({ branch }) => branch))
  return {
    counted: builds.filter(isCounted),
    others: builds.filter((build) => !isCounted(build)),
    branch: branches.size === 1 ? [...branches][0] : undefined,
  }
}

/** The branch that a project stands for, and which of its builds say how that is. */
function standOf(
  project: string,
  origins: readonly BuildOrigin[],
  rule: BranchRule,
): { readonly branch: string | undefined; readonly counts: (origin: BuildOrigin) => boolean } {
  const branch = ruledBranch(rule, project) ?? defaultBranch(origins) ?? onlyBranch(origins)
  if (branch === '*') return { branch, counts: () => true }
  const own = origins.filter((origin) => origin.branch === branch)
  // Of a fork's pull request the branch may have the same name.
  const isReview = own.every(({ isPullRequest }) => isPullRequest)
  const hasCi = own.some(({ isCi }) => isCi)
  // Most builds of a server may name none, and a few do.
  const unnamed = origins.filter((origin) => origin.branch === undefined).length
  const hasUnnamed = unnamed > origins.length - unnamed
  return {
    branch,
    counts: (origin) =>
      (origin.branch === branch || (hasUnnamed && origin.branch === undefined)) &&
      (isReview || !origin.isPullRequest) &&
      !(hasCi && origin.isLocal),
  }
}

/** Where all is of one pull request, that is what the tile is about. */
function onlyBranch(origins: readonly BuildOrigin[]): string | undefined {
  const [first, ...more] = new Set(origins.map(({ branch }) => branch))
  return more.length === 0 ? first : undefined
}
