// Imports the whole module, because a named import of getAssetKeys fails in the oldest supported Node.
import sea from 'node:sea';

/**
 * Returns the path of the script of this program, as a list. The list is empty in the single executable, which needs no script.
 */
export function program(): readonly string[] {
  return sea.isSea() ? [] : process.argv.slice(1, 2);
}
