import { anyMember, fact, listOf, partAt } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptors, digestFacts } from './resource-descriptor.ts'

export const slsaProvenanceV02: PredicateReader = {
  name: 'SLSA provenance v0.2',
  types: ['https://slsa.dev/provenance/v0.2'],
  proves: 'The package was built by this builder from these materials, from this configuration.',
  keys: ['builder', 'buildType', 'invocation', 'buildConfig', 'metadata', 'materials'],
  read: (predicate) => {
    const source = partAt(predicate, 'invocation', 'configSource')
    const metadata = partAt(predicate, 'metadata')
    return {
      rows: [
        ...fact(predicate, 'Builder', 'uri', 'builder', 'id'),
        ...fact(predicate, 'Build type', 'uri', 'buildType'),
        ...fact(source, 'Source', 'uri', 'uri'),
        ...digestFacts(partAt(source, 'digest')),
        ...fact(source, 'Entry point', 'text', 'entryPoint'),
        ...fact(metadata, 'Run', 'uri', 'buildInvocationId'),
        ...fact(metadata, 'Run', 'uri', 'buildInvocationID'),
        ...fact(metadata, 'Started', 'time', 'buildStartedOn'),
        ...fact(metadata, 'Finished', 'time', 'buildFinishedOn'),
        ...fact(metadata, 'Reproducible', 'text', 'reproducible'),
        ...fact(metadata, 'Parameters complete', 'text', 'completeness', 'parameters'),
        ...fact(metadata, 'Environment complete', 'text', 'completeness', 'environment'),
        ...fact(metadata, 'Materials complete', 'text', 'completeness', 'materials'),
      ],
      lists: [
        ...descriptors(predicate, 'Materials', 'materials'),
        ...listOf(partAt(predicate, 'invocation', 'parameters'), 'Parameters', anyMember),
        ...listOf(partAt(predicate, 'invocation', 'environment'), 'Environment', anyMember),
        ...listOf(partAt(predicate, 'buildConfig'), 'Build configuration', anyMember),
      ],
    }
  },
}

export const slsaProvenanceV01: PredicateReader = {
  name: 'SLSA provenance v0.1',
  types: ['https://slsa.dev/provenance/v0.1', 'https://in-toto.io/Provenance/v0.1'],
  proves: 'The package was built by this builder from these materials, following this recipe.',
  keys: ['builder', 'recipe', 'metadata', 'materials'],
  read: (predicate) => {
    const recipe = partAt(predicate, 'recipe')
    const metadata = partAt(predicate, 'metadata')
    return {
      rows: [
        ...fact(predicate, 'Builder', 'uri', 'builder', 'id'),
        ...fact(recipe, 'Recipe type', 'uri', 'type'),
        ...fact(recipe, 'Defined in material', 'text', 'definedInMaterial'),
        ...fact(recipe, 'Entry point', 'text', 'entryPoint'),
        ...fact(metadata, 'Run', 'uri', 'buildInvocationId'),
        ...fact(metadata, 'Run', 'uri', 'buildInvocationID'),
        ...fact(metadata, 'Started', 'time', 'buildStartedOn'),
        ...fact(metadata, 'Finished', 'time', 'buildFinishedOn'),
        ...fact(metadata, 'Reproducible', 'text', 'reproducible'),
        ...fact(metadata, 'Arguments complete', 'text', 'completeness', 'arguments'),
        ...fact(metadata, 'Environment complete', 'text', 'completeness', 'environment'),
        ...fact(metadata, 'Materials complete', 'text', 'completeness', 'materials'),
      ],
      lists: [
        ...descriptors(predicate, 'Materials', 'materials'),
        ...listOf(partAt(recipe, 'arguments'), 'Arguments', anyMember),
        ...listOf(partAt(recipe, 'environment'), 'Environment', anyMember),
      ],
    }
  },
}
