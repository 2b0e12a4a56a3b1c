// Plays boards with the solver of JSMinesweeper.
//
//     node jsminesweeper.js CHECKOUT BOARDS
//
// CHECKOUT is a clone of https://github.com/DavidNHill/JSMinesweeper. BOARDS is a file: a line with
// columns, rows and mines, then a line a board, a character a tile (`*` is a mine). Uncovers the top
// left corner first. Prints the processor seconds of play, and a `1` for each board won.

"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const SCRIPTS = [
    "Utility/Binomial.js",
    "Utility/PrimeSieve.js",
    "client/Tile.js",
    "client/Board.js",
    "client/Brute_force.js",
    "client/BruteForceAnalysis.js",
    "client/EfficiencyHelper.js",
    "client/FiftyFiftyHelper.js",
    "client/LongTermRiskHelper.js",
    "client/SolutionCounter.js",
    "client/solver_probability_engine.js",
    "client/solver_main.js",
];

/** What the page declares, and what is wanted of it. */
const PAGE = `
    const ACTION_CLEAR = 1, ACTION_FLAG = 2, ACTION_CHORD = 3, BOMB = 9;
    const analysisMode = false;
    const binomialCache = new BinomialCache(5000, 500, new Binomial(65000, 500));
    let board = null;
    function showMessage() {}
    async function sleep() {}
    function show(shown) {
        board = shown;
    }
    ({ Board, solver, show, ACTION_CLEAR, PLAY_STYLE_NOFLAGS });
`;

function load(checkout) {
    const texts = SCRIPTS.map((name) => fs.readFileSync(path.join(checkout, "Minesweeper", name), "utf8"));
    const silent = { log() {}, warn() {}, error() {} };
    return vm.runInNewContext([...texts, PAGE].join("\n"), { console: silent, performance });
}

/** Uncovers a tile and what follows; `null` if it is a mine. */
function uncover(board, mines, tile) {
    let uncovered = 0;
    const open = [tile];
    while (open.length > 0) {
        const next = open.pop();
        if (!next.isCovered()) {
            continue;
        }
        if (mines[next.index] === "*") {
            return null;
        }
        const around = board.getAdjacent(next);
        const number = around.filter((near) => mines[near.index] === "*").length;
        next.setValue(number);
        uncovered += 1;
        if (number === 0) {
            open.push(...around);
        }
    }
    return uncovered;
}

async function isWon(page, [columns, rows, nMines], mines) {
    const board = new page.Board(0, columns, rows, nMines, 0, "safe");
    board.setStarted();
    page.show(board);
    let left = columns * rows - nMines;
    let tiles = [board.getTile(0)];
    while (left > 0) {
        for (const tile of tiles) {
            const uncovered = uncover(board, mines, tile);
            if (uncovered === null) {
                return false;
            }
            left -= uncovered;
        }
        if (left === 0) {
            break;
        }
        const options = {
            playStyle: page.PLAY_STYLE_NOFLAGS,
            verbose: false,
            advancedGuessing: true,
            fullProbability: true,
            hardcore: false,
        };
        const { actions } = await page.solver(board, options);
        const clears = actions.filter((action) => action.action === page.ACTION_CLEAR);
        if (clears.length === 0) {
            return false;
        }
        const chosen = clears.filter((action, at) => at === 0 || (clears[0].prob === 1 && action.prob === 1));
        tiles = chosen.map((action) => board.getTileXY(action.x, action.y));
    }
    return true;
}

async function main() {
    const [checkout, file] = process.argv.slice(2);
    const page = load(checkout);
    await page.solver(null, {});
    const [head, ...boards] = fs.readFileSync(file, "utf8").trimEnd().split("\n");
    const sides = head.split(" ").map(Number);
    const start = process.cpuUsage();
    let won = "";
    for (const mines of boards) {
        won += (await isWon(page, sides, mines)) ? "1" : "0";
    }
    const used = process.cpuUsage(start);
    console.log((used.user + used.system) / 1e6);
    console.log(won);
}

main();
