/** Environment variables by name; `undefined` for one that is not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/** By this an environment that notes what is read of it lists names itself. */
export const namesBeginning = Symbol('names beginning')

/** An environment that notes what is read of it. */
export type NotingEnvironment = Environment & { readonly [namesBeginning]?: (prefix: string) => string[] }

/** The names of the variables that begin with a prefix in capitals, in order. On Windows names have no case. */
export function listNames(env: NotingEnvironment, prefix: string): string[] {
  if (env[namesBeginning]) return env[namesBeginning](prefix)
  return Object.keys(env)
    .filter((name) => name.slice(0, prefix.length).toUpperCase() === prefix)
    .sort()
}
