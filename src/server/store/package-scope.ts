/** The path of a package without its version: what all its versions have in common. */
export function packageNameOf(packagePath: string): string {
  return packagePath.slice(0, Math.max(0, packagePath.lastIndexOf('/')))
}

/** The column by which a path is looked for, and its value: `/*` at the end stands for any version. */
export function packageColumn(
  path: string,
): readonly [column: 'package_name' | 'package_path', value: string] {
  return path.endsWith('/*') ? ['package_name', packageNameOf(path)] : ['package_path', path]
}
