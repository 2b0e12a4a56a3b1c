"""Games of king and rook against king, the rook's side by the engine's rules for it.

Usage: endgame.py ENGINE GAMES STRATEGY [GAVIOTA]

The other king goes where it likes in one half of the games, by a fixed sequence of random numbers, and
in the other half where it is mated last, if GAVIOTA is a folder with Gaviota tables. In every second game
the rook is black. A game that does not end in mate ends the script with a nonzero status.
"""

import asyncio
import random
import sys

import chess
import chess.engine
import chess.gaviota

# A game longer than this would be drawn whatever the players say.
MOST_PLIES = 150


def start(rng, strong):
    """A legal position with the rook's side to move, and the rook not yet lost."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, 3)
        men = [(chess.KING, strong), (chess.ROOK, strong), (chess.KING, not strong)]
        for square, (piece, color) in zip(squares, men):
            board.set_piece_at(square, chess.Piece(piece, color))
        board.turn = strong
        if board.is_valid():
            return board


def defend(rng, board, tables):
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    if tables is None:
        return rng.choice(moves)

    def plies_to_mate(move):
        board.push(move)
        plies = tables.probe_dtm(board)
        board.pop()
        # 0 is a draw.
        return plies or 1000

    return max(moves, key=plies_to_mate)


async def play_game(number, rng, engine, tables):
    strong = number % 2 == 0
    board = start(rng, strong)
    fen = board.fen()
    game = object()
    while not board.is_game_over() and board.ply() < MOST_PLIES:
        if board.turn == strong:
            result = await engine.play(board, chess.engine.Limit(depth=1), game=game)
            board.push(result.move)
        else:
            board.push(defend(rng, board, tables))
    if not board.is_checkmate() or board.turn == strong:
        moves = " ".join(move.uci() for move in board.move_stack)
        raise AssertionError(f"game {number + 1} from {fen} is not won: {moves}")
    return len(board.move_stack) // 2 + 1


async def main(engine_path, games, strategy, gaviota=None):
    tables = gaviota and chess.gaviota.open_tablebase(gaviota)
    _, engine = await chess.engine.popen_uci(engine_path)
    await engine.configure({"Strategy": strategy})
    rng = random.Random(1992)
    for name, defense in [("random", None), ("perfect", tables)]:
        if name == "perfect" and not defense:
            print("perfect defense skipped: no Gaviota tables")
            continue
        lengths = [
            await play_game(number, rng, engine, defense) for number in range(games // 2)
        ]
        print(f"{strategy}, {name} defense: {len(lengths)} won, in {max(lengths)} moves at most")
    await engine.quit()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
