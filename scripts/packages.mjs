/**
 * Makes two packages from the source of Sightline, each as a tarball in dist/packages: the attestation decoder and the search
 * language. Everything they need is in them; nothing is published. Prints what a page loads of each.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'dist/packages')
const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const descriptions = {
  attestation: 'Decodes and verifies DSSE envelopes, Sigstore bundles and in-toto statements',
  search: 'The advanced search language for builds: parse, check, complete, explain, evaluate',
}

rmSync(out, { recursive: true, force: true })
for (const [name, description] of Object.entries(descriptions)) await makePackage(name, description)

async function makePackage(name, description) {
  const folder = join(out, name)
  const entry = join(root, 'packages', name, 'index.ts')
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: folder,
      target: 'es2023',
      minify: true,
      lib: { entry, formats: ['es'], fileName: () => 'index.js' },
    },
  })
  writeTypes(entry, folder)
  for (const [from, to] of [
    [`packages/${name}/README.md`, 'README.md'],
    ['LICENSE', 'LICENSE'],
  ]) {
    copyFileSync(join(root, from), join(folder, to))
  }
  const manifest = {
    name: `sightline-${name}`,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    files: ['index.js', 'index.d.ts', 'types'],
    engines,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', out], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const code = readFileSync(join(folder, 'index.js'))
  const kB = (bytes) => (bytes / 1000).toFixed(1)
  console.log(
    `dist/packages/${filename}: ${kB(code.length)} kB of JavaScript, ${kB(gzipSync(code).length)} kB gzip`,
  )
}

/**
 * Declarations of all that the entry exposes. Types that are inferred from a schema are written out, and what needs another package
 * is left out (`@internal`), so that the package stands alone.
 */
function writeTypes(entry, folder) {
  const program = ts.createProgram([entry], {
    ...ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
      ts.sys,
      root,
    ).options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: root,
    outDir: join(folder, 'types'),
  })
  const checker = program.getTypeChecker()
  const files = new Map()
  program.emit(undefined, (path, text) => files.set(path, text))
  for (const source of program.getSourceFiles()) {
    const path = join(folder, 'types', relative(root, source.fileName)).replace(/\.ts$/, '.d.ts')
    if (files.has(path) && files.get(path).includes('zod')) {
      files.set(path, writtenOut(source, checker))
    }
  }
  const used = new Set()
  const use = (path) => {
    const text = files.get(path)
    if (text === undefined) throw new Error(`no declarations at ${relative(root, path)}`)
    if (used.has(path)) return
    used.add(path)
    for (const { fileName: name } of ts.preProcessFile(text).importedFiles) {
      if (!name.startsWith('.')) throw new Error(`${relative(root, path)} needs ${name}`)
      use(resolve(dirname(path), name.replace(/\.ts$/, '.d.ts')))
    }
  }
  const index = join(folder, 'types', relative(root, entry)).replace(/\.ts$/, '.d.ts')
  use(index)
  const specifiers = (text) =>
    ts
      .preProcessFile(text)
      .importedFiles.toReversed()
      .reduce((rest, { fileName, pos }) => {
        const end = rest.indexOf(fileName, pos) + fileName.length
        return `${rest.slice(0, end - '.ts'.length)}.js${rest.slice(end)}`
      }, text)
  for (const path of used) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, specifiers(files.get(path)))
  }
  const from = `./${relative(folder, index).replace(/\.d\.ts$/, '.js')}`
  writeFileSync(join(folder, 'index.d.ts'), `export * from '${from}'\n`)
}

/** The exported types of a file, each in full. */
function writtenOut(source, checker) {
  const flags =
    ts.TypeFormatFlags.NoTruncation |
    ts.TypeFormatFlags.InTypeAlias |
    ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.TypeAlias)
    .map(
      (symbol) =>
        `export type ${symbol.name} = ${checker.typeToString(checker.getDeclaredTypeOfSymbol(symbol), undefined, flags)}\n`,
    )
    .join('')
}
