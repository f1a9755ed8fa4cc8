import { childrenOf, noNode } from '../decode/json-tree.ts'
import {
  anyItem,
  anyMember,
  descriptors,
  type Fact,
  fact,
  item,
  keyAt,
  list,
  listOf,
  type Part,
  partAt,
  type PredicateReader,
  scalarOf,
  textFact,
} from './predicate-facts.ts'

/** Of OpenSSF's model signing: every file of a model with its digest. */
export const modelSignature: PredicateReader = {
  name: 'Model signature',
  types: ['https://model_signing/signature/v1.0', 'https://model_signing/Digests/v0.1'],
  proves: 'The model consists of exactly these files.',
  hidden: ['unused'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Serialized by', 'text', 'serialization', 'method'),
      ...fact(predicate, 'Hash', 'text', 'serialization', 'hash_type'),
      ...fact(predicate, 'Symbolic links', 'text', 'serialization', 'allow_symlinks'),
    ],
    lists: [
      ...listOf(partAt(predicate, 'resources'), 'Files', (file) =>
        item(scalarOf(partAt(file, 'name')) ?? '(no name)', digestOf(file)),
      ),
      ...list(predicate, 'Files left out', 'text', 'serialization', 'ignore_paths'),
    ],
  }),
}

function digestOf(file: Part): Fact[] {
  const algorithm = scalarOf(partAt(file, 'algorithm')) ?? 'unknown'
  const [digest] = fact(file, 'Digest', 'text', 'digest')
  return digest ? [{ ...digest, kind: 'digest', value: `${algorithm}:${digest.value}` }] : []
}

export const chainloop: PredicateReader = {
  name: 'Chainloop attestation',
  types: ['chainloop.dev/attestation/v0.2', 'chainloop.dev/attestation/v0.1'],
  proves: 'A workflow run collected these materials.',
  read: (predicate) => {
    const metadata = partAt(predicate, 'metadata')
    return {
      rows: [
        ...fact(metadata, 'Workflow', 'text', 'name'),
        ...fact(metadata, 'Project', 'text', 'project'),
        ...fact(metadata, 'Team', 'text', 'team'),
        ...fact(metadata, 'Organization', 'text', 'organization'),
        ...fact(metadata, 'Workflow run', 'text', 'workflowRunID'),
        ...fact(predicate, 'Builder', 'text', 'builder', 'id'),
        ...fact(predicate, 'Build type', 'text', 'buildType'),
        ...fact(predicate, 'Runner', 'text', 'runnerType'),
        ...fact(predicate, 'Run', 'uri', 'runnerURL'),
        ...fact(metadata, 'Started', 'time', 'initializedAt'),
        ...fact(metadata, 'Finished', 'time', 'finishedAt'),
      ],
      lists: [
        ...descriptors(predicate, 'Materials', 'materials'),
        ...listOf(partAt(predicate, 'env'), 'Environment', anyMember),
        ...listOf(partAt(predicate, 'annotations'), 'Annotations', anyMember),
        ...evaluations(predicate, 'policyEvaluations'),
        ...evaluations(predicate, 'policy_evaluations'),
      ],
    }
  },
}

/** By material: the policies that were evaluated on it. */
function evaluations(predicate: Part, key: string) {
  return listOf(partAt(predicate, key), 'Policy evaluations', (material) =>
    item(
      keyAt(material),
      first(20, material).flatMap((evaluation) => fact(evaluation, 'Policy', 'text', 'name')),
    ),
  )
}

/** Of the SLSA source track: what a code host says of a change of a branch or tag. */
export const sourceProvenance: PredicateReader = {
  name: 'SLSA source provenance',
  types: [
    'https://github.com/slsa-framework/slsa-source-poc/source-provenance/v1',
    'https://github.com/slsa-framework/slsa-source-poc/source-provenance/v1-draft',
    'https://github.com/slsa-framework/source-tool/source-provenance/v1-draft',
  ],
  proves: 'The commit was merged into its branch under these controls.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Repository', 'uri', 'repo_uri'),
      ...fact(predicate, 'Branch', 'text', 'branch'),
      ...fact(predicate, 'Tag', 'text', 'tag'),
      ...fact(predicate, 'Activity', 'text', 'activity_type'),
      ...fact(predicate, 'Actor', 'text', 'actor'),
      ...fact(predicate, 'Previous commit', 'text', 'prev_commit'),
      ...fact(predicate, 'Created', 'time', 'created_on'),
    ],
    lists: [
      ...listOf(partAt(predicate, 'controls'), 'Controls', (control) => {
        const name = scalarOf(partAt(control, 'name')) ?? scalarOf(control)
        return item(name ?? '(no name)', fact(control, 'Since', 'time', 'since'))
      }),
      ...descriptors(predicate, 'Verification summaries', 'vsa_summaries'),
    ],
  }),
}

export const tagProvenance: PredicateReader = {
  ...sourceProvenance,
  name: 'SLSA tag provenance',
  types: [
    'https://github.com/slsa-framework/slsa-source-poc/tag-provenance/v1-draft',
    'https://github.com/slsa-framework/source-tool/tag-provenance/v1-draft',
  ],
  proves: 'The tag was set on this commit under these controls.',
}

/** Of in-toto's Witness: what each of its attestors recorded while a step ran. */
export const witness: PredicateReader = {
  name: 'Witness collection',
  types: [
    'https://witness.testifysec.com/attestation-collection/v0.1',
    'https://witness.dev/attestation-collection/v0.1',
    'https://aflock.ai/attestation-collection/v0.1',
  ],
  proves:
    'A step ran under Witness, which recorded its environment, materials, command and products.',
  read: (predicate) => {
    const attestations = partAt(predicate, 'attestations')
    const run = recordOf(attestations, 'command-run')
    const git = recordOf(attestations, 'git')
    const environment = recordOf(attestations, 'environment')
    return {
      rows: [
        ...fact(predicate, 'Step', 'text', 'name'),
        ...fact(run, 'Exit code', 'text', 'exitcode'),
        ...fact(git, 'Commit', 'text', 'commithash'),
        ...fact(git, 'Author', 'text', 'author'),
        ...fact(environment, 'System', 'text', 'os'),
        ...fact(environment, 'Host', 'text', 'hostname'),
        ...fact(environment, 'User', 'text', 'username'),
      ],
      lists: [
        ...list(run, 'Command', 'text', 'cmd'),
        ...listOf(attestations, 'Attestations', (attestation) =>
          item(scalarOf(partAt(attestation, 'type')) ?? '(no type)', [
            ...fact(attestation, 'Started', 'time', 'starttime'),
            ...fact(attestation, 'Finished', 'time', 'endtime'),
          ]),
        ),
        ...listOf(recordOf(attestations, 'material'), 'Materials', anyMember),
        ...listOf(recordOf(attestations, 'product'), 'Products', anyMember),
      ],
    }
  },
}

/** What the attestor of a name recorded: their types end in "/git/v0.1". */
function recordOf(attestations: Part, attestor: string): Part {
  const found = first(200, attestations).find((one) => {
    const type = scalarOf(partAt(one, 'type')) ?? ''
    return type.split('/').at(-2) === attestor
  })
  return found === undefined ? { ...attestations, node: noNode } : partAt(found, 'attestation')
}

/** As many of the members of a list or object, at most. */
function first(most: number, { tree, node }: Part): Part[] {
  const found: Part[] = []
  for (const child of childrenOf(tree, node)) {
    if (found.length >= most) break
    found.push({ tree, node: child })
  }
  return found
}

/** An in-toto layout, which stands alone in its envelope: the steps that a release must go through. */
export const layout: PredicateReader = {
  name: 'in-toto layout',
  types: [],
  proves: 'The project owner requires these steps, each signed by these keys.',
  hidden: ['_type'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Expires', 'time', 'expires'),
      ...fact(predicate, 'Read me', 'text', 'readme'),
    ],
    lists: [
      ...listOf(partAt(predicate, 'steps'), 'Steps', (step) =>
        item(scalarOf(partAt(step, 'name')) ?? '(no name)', [
          ...command(step, 'expected_command'),
          ...fact(step, 'Signatures needed', 'text', 'threshold'),
          ...first(20, partAt(step, 'pubkeys')).map((key) => textFact('Key', anyItem(key).value)),
        ]),
      ),
      ...listOf(partAt(predicate, 'inspect'), 'Inspections', (inspection) =>
        item(scalarOf(partAt(inspection, 'name')) ?? '(no name)', command(inspection, 'run')),
      ),
      ...listOf(partAt(predicate, 'keys'), 'Keys', (key) =>
        item(keyAt(key), fact(key, 'Type', 'text', 'keytype')),
      ),
    ],
  }),
}

/** A command as one line: a word that holds blanks stands in quotes. */
function command(step: Part, key: string): Fact[] {
  const words = first(50, partAt(step, key)).map((word) => anyItem(word).value)
  const text = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')
  return text === '' ? [] : [textFact('Command', text)]
}

/** Of gittuf: GitHub's answer about a pull request, as it is. */
export const gittufPullRequest: PredicateReader = {
  name: 'gittuf pull request',
  types: ['https://gittuf.dev/github-pull-request/v0.1'],
  proves: 'The commit came from this pull request.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Title', 'text', 'title'),
      ...fact(predicate, 'Number', 'text', 'number'),
      ...fact(predicate, 'Pull request', 'uri', 'html_url'),
      ...fact(predicate, 'State', 'text', 'state'),
      ...fact(predicate, 'Author', 'text', 'user', 'login'),
      ...fact(predicate, 'From', 'text', 'head', 'label'),
      ...fact(predicate, 'Into', 'text', 'base', 'label'),
      ...fact(predicate, 'Merged by', 'text', 'merged_by', 'login'),
      ...fact(predicate, 'Merged', 'time', 'merged_at'),
      ...fact(predicate, 'Merge commit', 'text', 'merge_commit_sha'),
    ],
    lists: [],
  }),
}

export const gittufApproval: PredicateReader = {
  name: 'gittuf pull request approval',
  types: ['https://gittuf.dev/github-pull-request-approval/v0.1'],
  proves: 'These people approved the change of the branch.',
  read: (predicate) => ({
    rows: gittufChange(predicate),
    lists: [
      ...list(predicate, 'Approved by', 'text', 'approvers'),
      ...list(predicate, 'Dismissed approvals', 'text', 'dismissedApprovers'),
    ],
  }),
}

export const gittufAuthorization: PredicateReader = {
  name: 'gittuf reference authorization',
  types: [
    'https://gittuf.dev/reference-authorization/v0.1',
    'https://gittuf.dev/reference-authorization/v0.2',
  ],
  proves: 'The signer agrees that the branch moves to this commit.',
  read: (predicate) => ({ rows: gittufChange(predicate), lists: [] }),
}

function gittufChange(predicate: Part): Fact[] {
  return [
    ...fact(predicate, 'Branch', 'text', 'targetRef'),
    ...fact(predicate, 'From', 'text', 'fromID'),
    ...fact(predicate, 'From', 'text', 'fromRevisionID'),
    ...fact(predicate, 'To', 'text', 'targetID'),
    ...fact(predicate, 'To', 'text', 'targetTreeID'),
  ]
}
