// Runs the program: an error becomes one line on stderr and an exit code, results go to stdout.
import { type Command, CommanderError, type Option } from 'commander';
import { ERRORS, errorCode } from '../errors.ts';
import { adviceOn } from './advice.ts';

/** Bad usage or bad input, which the user can correct. */
const EXIT_USER = 2;
/** A fault of the program or of the machine. */
const EXIT_FAILURE = 1;

/** Parses `argv` (as in `process.argv`), runs the chosen command and returns the exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  inheritSettings(program);
  // `f3 … | head` closes the output early, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT_FAILURE));
  try {
    await program.parseAsync(withKeyIdsLast(argv, flagsWithValue(program)));
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

/** Thumbprints of keys that begin with a dash, as one in 64 does. */
const KEY_ID = /^-[\w-]{42}$/;

/**
 * An id that begins with a dash would be taken for an option, so it follows the dashes that end them. One that is the value of an
 * option, of which `valued` holds the flags, stays behind its flag.
 */
export function withKeyIdsLast(argv: readonly string[], valued: ReadonlySet<string>): string[] {
  const isArgument = (word: string, at: number) => KEY_ID.test(word) && !valued.has(argv[at - 1]);
  if (argv.includes('--') || !argv.some(isArgument)) return [...argv];
  return [...argv.filter((word, at) => !isArgument(word, at)), '--', ...argv.filter(isArgument)];
}

/** Flags of all options in the tree that must have a value. */
function flagsWithValue({ options, commands }: Command): Set<string> {
  const own = options.flatMap(({ required, long, short }) => (required ? [long, short] : []));
  return new Set([...own.filter((flag) => flag != null), ...commands.flatMap((child) => [...flagsWithValue(child)])]);
}

/** Prints a command's result: `value` as one line of JSON if `json` is set, else `text`. */
export function printResult(value: unknown, text: string, json: boolean | undefined): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Says on stderr what went wrong and returns the exit code. Only internal errors show a stack trace. */
export function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USER; // commander has printed its message
  const code = errorCode(error);
  if (code) {
    const advice = adviceOn(error);
    process.stderr.write(`f3: ${(error as Error).message}${advice ? `; ${advice}` : ''} [${code}]\n`);
    return ERRORS[code].status < 500 ? EXIT_USER : EXIT_FAILURE;
  }
  if (error instanceof Error && 'syscall' in error) {
    process.stderr.write(`f3: ${error.message}\n`);
    return EXIT_FAILURE;
  }
  const trace = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`f3: internal error, please report it\n${trace}\n`);
  return EXIT_FAILURE;
}

/** Makes every command of the tree throw its errors instead of exiting, and say how to get help. */
function inheritSettings(command: Command): void {
  command.exitOverride().showHelpAfterError(`Try: ${commandPath(command)} --help`);
  command.configureOutput({ outputError: (text, write) => write(usageError(text)) });
  nameMistakes(command);
  for (const child of command.commands) inheritSettings(child);
}

/** Methods that commander calls on a mistake. Its types leave these two out. */
interface Mistakes {
  missingMandatoryOptionValue(option: Option): void;
  unknownOption(flag: string): void;
}

/**
 * Commander looks for missing options before unknown ones, so `--bundle` would be answered with a missing `--bundles`.
 * Here the message names the unknown option, with commander's suggestion. Unknown options stand last in `args`.
 */
function nameMistakes(command: Command): void {
  const mistakes = command as unknown as Mistakes;
  const unknownOption = mistakes.unknownOption.bind(command);
  const missing = mistakes.missingMandatoryOptionValue.bind(command);
  mistakes.unknownOption = (flag) => unknownOption(flag.split('=')[0]);
  mistakes.missingMandatoryOptionValue = (option) => {
    const unknown = command.args.find((word) => word.startsWith('--') && word.length > 2);
    if (unknown !== undefined) mistakes.unknownOption(unknown);
    missing(option);
  };
}

/** Turns commander's `error: …`, which may have a suggestion on a second line, into one line like every other error. */
function usageError(text: string): string {
  return `f3: ${text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')} [F3_OPTION]\n`;
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
