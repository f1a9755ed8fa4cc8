import { anyMember, fact, listOf, partAt } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptors } from './resource-descriptor.ts'

export const slsaProvenanceV1: PredicateReader = {
  name: 'SLSA provenance v1',
  types: ['https://slsa.dev/provenance/v1'],
  proves:
    'The package was built by this builder, in this way, from these inputs, started from outside with these parameters.',
  keys: ['buildDefinition', 'runDetails'],
  read: (predicate) => {
    const definition = partAt(predicate, 'buildDefinition')
    const run = partAt(predicate, 'runDetails')
    const workflow = partAt(definition, 'externalParameters', 'workflow')
    return {
      rows: [
        ...fact(run, 'Builder', 'uri', 'builder', 'id'),
        ...fact(definition, 'Build type', 'uri', 'buildType'),
        ...fact(workflow, 'Source', 'uri', 'repository'),
        ...fact(workflow, 'Ref', 'text', 'ref'),
        ...fact(workflow, 'Workflow', 'text', 'path'),
        ...fact(run, 'Run', 'uri', 'metadata', 'invocationId'),
        // Older Go writers spell it so.
        ...fact(run, 'Run', 'uri', 'metadata', 'invocationID'),
        ...fact(run, 'Started', 'time', 'metadata', 'startedOn'),
        ...fact(run, 'Finished', 'time', 'metadata', 'finishedOn'),
      ],
      lists: [
        ...listOf(partAt(definition, 'externalParameters'), 'External parameters', anyMember),
        ...listOf(partAt(definition, 'internalParameters'), 'Internal parameters', anyMember),
        ...descriptors(definition, 'Inputs', 'resolvedDependencies'),
        ...descriptors(run, 'Builder dependencies', 'builder', 'builderDependencies'),
        ...descriptors(run, 'By-products', 'byproducts'),
        ...listOf(partAt(run, 'builder', 'version'), 'Builder versions', anyMember),
      ],
    }
  },
}
