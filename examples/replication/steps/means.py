"""Writes means.csv: number, mean and standard deviation of heights by light.

The parameter `divisor` is "n-1" or "n".
"""
import csv
import json
import statistics

with open("parameters.json", encoding="utf-8") as file:
    divisor = json.load(file)["parameters"]["divisor"]
deviation = {"n-1": statistics.stdev, "n": statistics.pstdev}[divisor]

heights = {}
with open("data/seedlings.csv", newline="", encoding="utf-8") as file:
    for line in csv.DictReader(file):
        heights.setdefault(line["light"], []).append(float(line["height"]))

with open("means.csv", "w", newline="", encoding="utf-8") as file:
    out = csv.writer(file)
    out.writerow(["row", "n", "mean", "sd"])
    for light, values in heights.items():
        out.writerow([light, len(values), statistics.fmean(values), deviation(values)])
