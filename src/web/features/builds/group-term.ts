import type { BuildGrouping } from '../../../protocol/insight.ts'
import { quoteValue } from '../../../search/values/text.ts'

/** What builds are grouped by, as a heading. */
export const groupingNames: Readonly<Record<BuildGrouping, string>> = {
  failure: 'Failure',
  project: 'Project',
  branch: 'Branch',
  user: 'User',
  tool: 'Tool',
  outcome: 'Outcome',
  requested: 'Requested work',
}

/** What builds are called that have no value. */
export const unknownNames: Readonly<Record<BuildGrouping, string>> = {
  failure: 'Failure unknown',
  project: 'Project unknown',
  branch: 'Branch unknown',
  user: 'User unknown',
  tool: 'Tool unknown',
  outcome: 'Outcome unknown',
  requested: 'Requested work unknown',
}

/** The condition that leaves the builds of one group; undefined where the search language has none. */
export function groupTerm(by: BuildGrouping, key: string | null): string | undefined {
  switch (by) {
    case 'failure':
      return undefined
    case 'project':
    case 'user':
      // Builds with an empty one are in the same group.
      return key === null ? `(not ${by}:* or ${by}:"")` : `${by}:${quoteValue(key)}`
    case 'branch':
      return key === null ? 'not value:"Git branch=*"' : `value:${quoteValue(`Git branch=${key}`)}`
    case 'tool':
      return key === null ? undefined : `buildTool:${quoteValue(key)}`
    case 'outcome':
      return key === null
        ? 'not buildOutcome:succeeded not buildOutcome:failed'
        : `buildOutcome:${key}`
    case 'requested':
      if (key === null) return 'not requested:*'
      // The key is the whole of what was requested; one word alone would match any list that has it.
      return `requested:${quoteValue(key)}${key.includes(' ') ? '' : ' not requested:"* *"'}`
  }
}
