"""Games on a clock between two engines, over the UCI client of python-chess.

Usage: clock.py ENGINE GAMES SECONDS INCREMENT OPPONENT [ARGUMENT ...]

Each side has SECONDS and gets INCREMENT after every move; time is taken around each move, the way to
the engine and back included. Prints a line for each game and the losses on time of either side.
"""

import asyncio
import sys
import time

import chess
import chess.engine

from opponent import OPENINGS

# A game is called drawn here; both engines would go on shuffling.
MOST_PLIES = 400


async def play_game(number, engine, opponent, seconds, increment):
    board = chess.Board()
    for move in OPENINGS[number % len(OPENINGS)]:
        board.push_uci(move)
    ours = chess.WHITE if number % 2 == 0 else chess.BLACK
    clock = {chess.WHITE: seconds, chess.BLACK: seconds}
    lowest = seconds
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        side = board.turn
        player = engine if side == ours else opponent
        limit = chess.engine.Limit(
            white_clock=clock[chess.WHITE],
            black_clock=clock[chess.BLACK],
            white_inc=increment,
            black_inc=increment,
        )
        before = time.perf_counter()
        result = await player.play(board, limit, game=game)
        clock[side] -= time.perf_counter() - before
        if side == ours:
            lowest = min(lowest, clock[side])
        if clock[side] < 0:
            return "lost on time" if side == ours else "won on time", board.ply(), lowest
        if result.move is None:
            if player is opponent:
                break
            raise AssertionError(f"no move in {board.fen()}")
        clock[side] += increment
        board.push(result.move)
    outcome = board.outcome(claim_draw=True)
    return outcome.result() if outcome else "*", board.ply(), lowest


async def main(engine_path, games, seconds, increment, opponent_command):
    _, engine = await chess.engine.popen_uci(engine_path)
    _, opponent = await chess.engine.popen_uci(opponent_command)
    losses = {"lost on time": 0, "won on time": 0}
    for number in range(games):
        ending, plies, lowest = await play_game(number, engine, opponent, seconds, increment)
        if ending in losses:
            losses[ending] += 1
        print(f"game {number + 1}: {ending} after {plies} plies, clock at {lowest:.3f} s or more", flush=True)
    await engine.quit()
    try:
        await asyncio.wait_for(opponent.quit(), 5)
    except (asyncio.TimeoutError, chess.engine.EngineError):
        pass
    print(f"{games} games, {losses['lost on time']} lost on time, {losses['won on time']} by the opponent")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    asyncio.run(main(arguments[0], int(arguments[1]), float(arguments[2]), float(arguments[3]), arguments[4:]))
