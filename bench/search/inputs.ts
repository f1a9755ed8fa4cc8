import type { Facts } from '../../src/protocol/facts.ts'

/** The same for each parser of this kind of language, in the syntax that all of them read. */
export const query =
  'project:shop AND (tag:ci OR tag:"release candidate") AND buildTool:gradle AND NOT user:bot ' +
  'AND (buildOutcome:failed OR hostname:agent*) AND requested:assemble AND -tag:unstable AND value:"branch=main"'

/** As long, for the parser of another language. */
export const promql =
  'sum by (project) (rate(builds_total{tag=~"ci|candidate", tool="gradle", user!="robot1"}[5m])) / ' +
  'on (project) group_left sum by (project) (rate(builds_total{outcome="failed", host=~"agent-1.*"}[5m]))'

/** Terms until there are that many characters. */
export function longQuery(length: number): string {
  return longText(length, (index) => `project:shop${index} tag:"release ${index}"`, ' or ')
}

/** The same size in PromQL. */
export function longPromql(length: number): string {
  return longText(length, (index) => `rate(builds_total{project="shop${index}"}[5m])`, ' + ')
}

function longText(length: number, part: (index: number) => string, joint: string): string {
  let text = part(0)
  for (let index = 1; text.length < length; index++) text += joint + part(index)
  return text
}

/** Six conditions, told to each. */
export const conditions =
  'project:shop* AND (tag:ci OR tag:main) AND NOT user:bot AND outcome:failed AND hostname:agent-1*'
export const ownConditions = conditions.replace('outcome:', 'buildOutcome:')

/** Builds that differ in what the conditions ask for. */
export function manyFacts(count: number): (Facts & { tag: string })[] {
  return Array.from({ length: count }, (_, index) => {
    const tags = [index % 3 === 0 ? 'ci' : 'local', index % 7 === 0 ? 'main' : 'feature']
    return {
      buildId: String(index).padStart(13, 'a'),
      receivedAt: index,
      buildTool: 'gradle',
      buildToolVersion: '8.8',
      agentVersion: '3.17',
      user: index % 5 === 0 ? 'bot' : `user-${index % 50}`,
      hostname: `agent-${index % 40}`,
      project: index % 2 === 0 ? `shop-${index % 20}` : `cellar-${index % 20}`,
      outcome: index % 4 === 0 ? 'failed' : 'succeeded',
      tags,
      // liqe reads one field of that name.
      tag: tags.join(' '),
    }
  })
}
